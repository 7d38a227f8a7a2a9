//! All parameters of the search, in one table.
//!
//! Values are centipawns, depths are plies, unless said otherwise. They began as those
//! that YaneuraOu and stoat found to work, and were tuned by `kaeshi tune`.

use serde::{Deserialize, Serialize};

use kaeshi_core::tunable::Tunable;

/// The parameters of the search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Parameters {
    /// Whether to prune forward, and to reduce and extend. Without that the search is alpha-beta over all legal moves to
    /// the nominal depth, whose value is that of plain minimax; that is what tests compare.
    #[serde(skip)]
    pub forward_pruning: bool,
    /// Aspiration: from this depth on …
    pub aspiration_depth: i32,
    /// … with a first window of this half width …
    pub aspiration: i32,
    /// … which grows by half and this …
    pub aspiration_growth: i32,
    /// … and is given up beyond this.
    pub aspiration_limit: i32,
    /// Razoring: down to this depth …
    pub razor_depth: i32,
    /// … if the static value is so much below alpha, a ply.
    pub razor_margin: i32,
    /// Reverse futility: up to this depth …
    pub reverse_depth: i32,
    /// … if the static value is so much above beta, a ply.
    pub reverse_margin: i32,
    /// Null move: at least this depth …
    pub null_depth: i32,
    /// … with this reduction …
    pub null_reduction: i32,
    /// … one ply more for so many plies of depth …
    pub null_depth_step: i32,
    /// … and one for every such surplus over beta …
    pub null_value_step: i32,
    /// … at most so many.
    pub null_value_most: i32,
    /// ProbCut: at least this depth, so much above beta, searched so much less deep.
    pub probcut_depth: i32,
    pub probcut_margin: i32,
    pub probcut_reduction: i32,
    /// Internal iterative reduction: at least this depth.
    pub internal_depth: i32,
    /// Singular extension: at least this depth, with an entry at most so much less deep.
    pub singular_depth: i32,
    pub singular_entry: i32,
    /// Sixteenths of a unit a ply by which the others must stay below.
    pub singular_margin: i32,
    /// Below by so much more: two plies.
    pub double_margin: i32,
    /// Late move pruning: quiet moves beyond `(late_base + depth^2 * late_factor / 4) / (2 - improving)` are left out.
    pub late_base: i32,
    pub late_factor: i32,
    /// Futility of quiet moves: up to this reduced depth, base and a ply.
    pub futility_depth: i32,
    pub futility_base: i32,
    pub futility_margin: i32,
    /// History that is worth one.
    pub futility_history: i32,
    /// SEE: up to this reduced depth a quiet move may lose so much times its square.
    pub exchange_quiet_depth: i32,
    pub exchange_quiet: i32,
    /// Up to this depth a capture may lose so much a ply …
    pub exchange_capture_depth: i32,
    pub exchange_capture: i32,
    /// … and one more for so much history.
    pub exchange_history: i32,
    /// Up to this reduced depth histories below so much a ply are left out.
    pub history_depth: i32,
    pub history_margin: i32,
    /// Late-move reduction: at least this depth; captures from this number on, at expected cut nodes
    /// sooner.
    pub reduction_depth: i32,
    pub reduction_tactical: i32,
    /// In 1024ths of a ply: base, and factor of `ln(depth) * ln(number)`.
    pub reduction_base: i32,
    pub reduction_factor: i32,
    /// Added at expected cut nodes.
    pub reduction_cut: i32,
    /// Added when the position does not improve.
    pub reduction_worsening: i32,
    /// Taken off on what was a principal variation.
    pub reduction_pv: i32,
    /// Taken off for checks.
    pub reduction_check: i32,
    /// Added when the TT move is a capture.
    pub reduction_capture: i32,
    /// History for which one ply is taken off.
    pub reduction_history: i32,
    /// History of a capture for which a 1024th is taken off.
    pub reduction_capture_history: i32,
    /// A reduced move that surprises by more than this is searched deeper …
    pub deeper_margin: i32,
    /// … by less than this, less deep.
    pub shallower_margin: i32,
    /// Quiescence: what a capture must promise beyond the captured piece, and may lose.
    pub quiescence_futility: i32,
    pub quiescence_exchange: i32,
    /// How many captures quiescence tries, checks and recaptures apart.
    pub quiescence_moves: usize,
    /// How many evasions it tries, captures apart, once one is not mate.
    pub quiescence_evasions: usize,
    /// Growth of history a ply, what is taken off, and its limit a node.
    pub history_bonus: i32,
    pub history_bonus_offset: i32,
    pub history_bonus_limit: i32,
    /// Surplus over beta that counts as one ply more.
    pub history_clear: i32,
    /// Order of moves: what a capture must gain to come before the quiet moves.
    pub order_exchange: i32,
    /// How often the captured piece counts, what a promotion adds, and history that is worth one.
    pub order_captured: i32,
    pub order_promotion: i32,
    pub order_capture_history: i32,
    /// What a quiet check adds, and what it must gain for that.
    pub order_check: i32,
    pub order_check_exchange: i32,
    /// Quiet moves that far below zero a ply are not brought into order.
    pub order_unsorted: i32,
    /// Nodes of the search to one of the mate solver at the root.
    pub mate_share: u64,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
            forward_pruning: true,
            aspiration_depth: 4,
            aspiration: 42,
            aspiration_growth: 6,
            aspiration_limit: 1_500,
            razor_depth: 4,
            razor_margin: 295,
            reverse_depth: 10,
            reverse_margin: 91,
            null_depth: 3,
            null_reduction: 4,
            null_depth_step: 4,
            null_value_step: 233,
            null_value_most: 3,
            probcut_depth: 5,
            probcut_margin: 268,
            probcut_reduction: 4,
            internal_depth: 4,
            singular_depth: 7,
            singular_entry: 3,
            singular_margin: 29,
            double_margin: 45,
            late_base: 5,
            late_factor: 10,
            futility_depth: 9,
            futility_base: 77,
            futility_margin: 70,
            futility_history: 128,
            exchange_quiet_depth: 9,
            exchange_quiet: 18,
            exchange_capture_depth: 8,
            exchange_capture: 157,
            exchange_history: 32,
            history_depth: 6,
            history_margin: 8_003,
            reduction_depth: 2,
            reduction_tactical: 4,
            reduction_base: 905,
            reduction_factor: 406,
            reduction_cut: 1_684,
            reduction_worsening: 315,
            reduction_pv: 1_156,
            reduction_check: 984,
            reduction_capture: 606,
            reduction_history: 6_435,
            reduction_capture_history: 8,
            deeper_margin: 1,
            shallower_margin: 7,
            quiescence_futility: 226,
            quiescence_exchange: -54,
            quiescence_moves: 1,
            quiescence_evasions: 2,
            history_bonus: 225,
            history_bonus_offset: 50,
            history_bonus_limit: 1_516,
            history_clear: 300,
            order_exchange: -50,
            order_captured: 7,
            order_promotion: 600,
            order_capture_history: 4,
            order_check: 16_000,
            order_check_exchange: -75,
            order_unsorted: 2_500,
            mate_share: 20,
        }
    }
}

impl Tunable for Parameters {
    const TUNABLE: &'static [(&'static str, f64)] = &[
        ("aspiration", 6.0),
        ("razor_margin", 50.0),
        ("reverse_margin", 15.0),
        ("null_reduction", 1.0),
        ("null_depth_step", 1.0),
        ("null_value_step", 40.0),
        ("probcut_margin", 40.0),
        ("singular_margin", 5.0),
        ("double_margin", 10.0),
        ("late_base", 1.0),
        ("late_factor", 1.5),
        ("futility_base", 40.0),
        ("futility_margin", 25.0),
        ("exchange_quiet", 6.0),
        ("exchange_capture", 30.0),
        ("history_margin", 800.0),
        ("reduction_base", 200.0),
        ("reduction_factor", 50.0),
        ("reduction_cut", 300.0),
        ("reduction_worsening", 200.0),
        ("reduction_pv", 250.0),
        ("reduction_check", 250.0),
        ("reduction_capture", 200.0),
        ("reduction_history", 2_000.0),
        ("deeper_margin", 15.0),
        ("shallower_margin", 3.0),
        ("quiescence_futility", 40.0),
        ("quiescence_exchange", 30.0),
        ("quiescence_moves", 1.0),
        ("history_bonus", 30.0),
        ("history_bonus_limit", 300.0),
    ];
}
