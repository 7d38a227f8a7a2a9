//! Every number of the search that can be tuned, in one table.
//!
//! Values are hundredths of a pawn, depths are plies, unless said otherwise. They began as those
//! that YaneuraOu and stoat found to work.

/// The numbers of the search.
#[derive(Clone, Debug)]
pub(crate) struct Parameters {
    /// Whether to guess at all. Without guesses the search is alpha-beta over all legal moves to
    /// the nominal depth, whose value is that of plain minimax; that is what tests compare.
    pub(crate) guess: bool,
    /// Half width of the first aspiration window.
    pub(crate) aspiration: i32,
    /// Razoring: down to this depth …
    pub(crate) razor_depth: i32,
    /// … if the static value is so much below alpha, a ply.
    pub(crate) razor_margin: i32,
    /// Reverse futility: up to this depth …
    pub(crate) reverse_depth: i32,
    /// … if the static value is so much above beta, a ply.
    pub(crate) reverse_margin: i32,
    /// Null move: at least this depth …
    pub(crate) null_depth: i32,
    /// … with this reduction …
    pub(crate) null_reduction: i32,
    /// … one ply more for so many plies of depth …
    pub(crate) null_depth_step: i32,
    /// … and one for every such surplus over beta, three at most.
    pub(crate) null_value_step: i32,
    /// ProbCut: at least this depth, so much above beta.
    pub(crate) probcut_depth: i32,
    pub(crate) probcut_margin: i32,
    /// Singular extension: at least this depth.
    pub(crate) singular_depth: i32,
    /// Sixteenths of a unit a ply by which the others must stay below.
    pub(crate) singular_margin: i32,
    /// Below by so much more: two plies.
    pub(crate) double_margin: i32,
    /// Late moves: quiet ones beyond `(late_base + depth^2 * late_factor / 4) / (2 - improving)` are left out.
    pub(crate) late_base: i32,
    pub(crate) late_factor: i32,
    /// Futility of quiet moves: up to this reduced depth, base and a ply.
    pub(crate) futility_depth: i32,
    pub(crate) futility_base: i32,
    pub(crate) futility_margin: i32,
    /// Exchanges: a quiet move may lose so much times the squared reduced depth.
    pub(crate) exchange_quiet: i32,
    /// A capture may lose so much a ply.
    pub(crate) exchange_capture: i32,
    /// Histories below so much a ply are left out.
    pub(crate) history_margin: i32,
    /// Late-move reduction in 1024ths of a ply: base, and factor of `ln(depth) * ln(number)`.
    pub(crate) reduction_base: i32,
    pub(crate) reduction_factor: i32,
    /// Added at expected cut nodes.
    pub(crate) reduction_cut: i32,
    /// Added when the position does not improve.
    pub(crate) reduction_worsening: i32,
    /// Taken off on what was a principal variation.
    pub(crate) reduction_pv: i32,
    /// Taken off for checks.
    pub(crate) reduction_check: i32,
    /// Added when the table's move is a capture.
    pub(crate) reduction_capture: i32,
    /// History for which one ply is taken off.
    pub(crate) reduction_history: i32,
    /// A reduced move that surprises by more than this is searched deeper …
    pub(crate) deeper_margin: i32,
    /// … by less than this, less deep.
    pub(crate) shallower_margin: i32,
    /// Quiescence: what a capture must promise beyond the captured piece, and may lose.
    pub(crate) quiescence_futility: i32,
    pub(crate) quiescence_exchange: i32,
    /// How many captures quiescence tries, checks and recaptures apart.
    pub(crate) quiescence_moves: usize,
    /// Growth of history a ply, and its limit a node.
    pub(crate) history_bonus: i32,
    pub(crate) history_bonus_limit: i32,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
            guess: true,
            aspiration: 24,
            razor_depth: 4,
            razor_margin: 300,
            reverse_depth: 10,
            reverse_margin: 80,
            null_depth: 3,
            null_reduction: 4,
            null_depth_step: 4,
            null_value_step: 220,
            probcut_depth: 5,
            probcut_margin: 220,
            singular_depth: 7,
            singular_margin: 20,
            double_margin: 30,
            late_base: 4,
            late_factor: 6,
            futility_depth: 9,
            futility_base: 150,
            futility_margin: 110,
            exchange_quiet: 22,
            exchange_capture: 110,
            history_margin: 3_500,
            reduction_base: 500,
            reduction_factor: 420,
            reduction_cut: 1_800,
            reduction_worsening: 700,
            reduction_pv: 1_200,
            reduction_check: 1_024,
            reduction_capture: 800,
            reduction_history: 9_000,
            deeper_margin: 50,
            shallower_margin: 8,
            quiescence_futility: 160,
            quiescence_exchange: -70,
            quiescence_moves: 3,
            history_bonus: 150,
            history_bonus_limit: 1_700,
        }
    }
}
