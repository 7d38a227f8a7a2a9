//! All parameters of the search, in one table.
//!
//! Values are centipawns, depths are plies, unless said otherwise. They began as those
//! that YaneuraOu and stoat found to work, and were tuned by `kaeshi tune`.

use serde::{Deserialize, Serialize};

use kaeshi_core::tunable::Tunable;

/// The parameters of the search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ShogiSearchParameters {
    /// Whether to prune forward, and to reduce and extend. Without that the search is alpha-beta over all
    /// legal moves to the nominal depth, whose value is that of plain minimax; that is what tests compare.
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
    /// … if the static value is this much below alpha, a ply.
    pub razor_margin: i32,
    /// Reverse futility: up to this depth …
    #[serde(alias = "reverse_depth")]
    pub rfp_depth: i32,
    /// … if the static value is this much above beta, a ply.
    #[serde(alias = "reverse_margin")]
    pub rfp_margin: i32,
    /// Null move: at least this depth …
    #[serde(alias = "null_depth")]
    pub nmp_depth: i32,
    /// … with this reduction …
    #[serde(alias = "null_reduction")]
    pub nmp_reduction: i32,
    /// … one ply more for this many plies of depth …
    #[serde(alias = "null_depth_step")]
    pub nmp_depth_step: i32,
    /// … and one for every such surplus over beta …
    #[serde(alias = "null_value_step")]
    pub nmp_value_step: i32,
    /// … at most this many.
    #[serde(alias = "null_value_most")]
    pub nmp_value_most: i32,
    /// ProbCut: minimum depth, margin above beta, and reduction in plies.
    pub probcut_depth: i32,
    pub probcut_margin: i32,
    pub probcut_reduction: i32,
    /// Internal iterative reduction: at least this depth.
    #[serde(alias = "internal_depth")]
    pub iir_depth: i32,
    /// Singular extension: minimum depth, and how much shallower the entry may be.
    pub singular_depth: i32,
    pub singular_entry: i32,
    /// Sixteenths of a unit a ply by which the others must stay below.
    pub singular_margin: i32,
    /// Further margin for an extension by two plies.
    pub double_margin: i32,
    /// Late move pruning: quiet moves beyond `(lmp_base + depth^2 * lmp_factor / 4) / (2 - improving)` are left out.
    #[serde(alias = "late_base")]
    pub lmp_base: i32,
    #[serde(alias = "late_factor")]
    pub lmp_factor: i32,
    /// Futility of quiet moves: up to this reduced depth, base and a ply.
    pub futility_depth: i32,
    pub futility_base: i32,
    pub futility_margin: i32,
    /// Futility: `margin += history / this`.
    pub futility_history: i32,
    /// SEE: up to this reduced depth a quiet move may lose this much times its square.
    #[serde(alias = "exchange_quiet_depth")]
    pub see_quiet_depth: i32,
    #[serde(alias = "exchange_quiet")]
    pub see_quiet: i32,
    /// Up to this depth a capture may lose this much a ply …
    #[serde(alias = "exchange_capture_depth")]
    pub see_capture_depth: i32,
    #[serde(alias = "exchange_capture")]
    pub see_capture: i32,
    /// … and one more for this much history.
    #[serde(alias = "exchange_history")]
    pub see_history: i32,
    /// Up to this reduced depth histories below this much a ply are left out.
    pub history_depth: i32,
    pub history_margin: i32,
    /// Late-move reduction: at least this depth; captures from this number on, from a lower one at expected cut nodes.
    #[serde(alias = "reduction_depth")]
    pub lmr_depth: i32,
    #[serde(alias = "reduction_tactical")]
    pub lmr_tactical: i32,
    /// In 1024ths of a ply: base, and factor of `ln(depth) * ln(number)`.
    #[serde(alias = "reduction_base")]
    pub lmr_base: i32,
    #[serde(alias = "reduction_factor")]
    pub lmr_factor: i32,
    /// Added at expected cut nodes.
    #[serde(alias = "reduction_cut")]
    pub lmr_cut: i32,
    /// Added when the position does not improve.
    #[serde(alias = "reduction_worsening")]
    pub lmr_worsening: i32,
    /// Added then as well, in 1024ths of the logarithms' part.
    pub lmr_worsening_share: i32,
    /// Subtracted at nodes that were in a principal variation.
    #[serde(alias = "reduction_pv")]
    pub lmr_pv: i32,
    /// Subtracted for checks.
    #[serde(alias = "reduction_check")]
    pub lmr_check: i32,
    /// Added when the TT move is a capture.
    #[serde(alias = "reduction_capture")]
    pub lmr_capture: i32,
    /// History that reduces the reduction by one ply.
    #[serde(alias = "reduction_history")]
    pub lmr_history: i32,
    /// History of a capture that reduces the reduction by 1/1024 ply.
    #[serde(alias = "reduction_capture_history")]
    pub lmr_capture_history: i32,
    /// A reduced move that surprises by more than this is searched deeper …
    pub deeper_margin: i32,
    /// … by less than this, less deep.
    pub shallower_margin: i32,
    /// Plies by which the moves behind one that raised alpha are searched less deep, at depths from 3 to 13.
    pub raised_reduction: i32,
    /// Quiescence: margin of futility beyond the captured piece, and the SEE threshold of captures.
    pub quiescence_futility: i32,
    #[serde(alias = "quiescence_exchange")]
    pub quiescence_see: i32,
    /// How many captures quiescence tries, checks and recaptures apart.
    pub quiescence_moves: usize,
    /// How many evasions it tries, captures apart, once one is not mate.
    pub quiescence_evasions: usize,
    /// History bonus of a node: growth a ply of depth, constant subtracted, and upper limit.
    pub history_bonus: i32,
    pub history_bonus_offset: i32,
    pub history_bonus_limit: i32,
    /// Bonus of a reduced move that the search at full depth confirms, in the histories by earlier moves.
    pub history_research: i32,
    /// Bonus of the quiet move that led to a node that failed low, in 1024ths of the node's bonus.
    pub history_parent: i32,
    /// Surplus over beta that counts as one ply more.
    pub history_clear: i32,
    /// Order of moves: the SEE threshold for captures before the quiet moves.
    #[serde(alias = "order_exchange")]
    pub order_see: i32,
    /// Weight of the captured piece, bonus of a promotion, and divisor of the history.
    pub order_captured: i32,
    pub order_promotion: i32,
    pub order_capture_history: i32,
    /// Bonus of a quiet check, and its SEE threshold.
    pub order_check: i32,
    #[serde(alias = "order_check_exchange")]
    pub order_check_see: i32,
    /// Quiet moves that far below zero a ply are not brought into order.
    pub order_unsorted: i32,
    /// Nodes of the search to one of the mate solver at the root.
    pub mate_share: u64,
}

impl Default for ShogiSearchParameters {
    fn default() -> ShogiSearchParameters {
        ShogiSearchParameters {
            forward_pruning: true,
            aspiration_depth: 4,
            aspiration: 40,
            aspiration_growth: 6,
            aspiration_limit: 1_500,
            razor_depth: 4,
            razor_margin: 328,
            rfp_depth: 10,
            rfp_margin: 89,
            nmp_depth: 3,
            nmp_reduction: 5,
            nmp_depth_step: 4,
            nmp_value_step: 189,
            nmp_value_most: 3,
            probcut_depth: 5,
            probcut_margin: 245,
            probcut_reduction: 5,
            iir_depth: 4,
            singular_depth: 7,
            singular_entry: 3,
            singular_margin: 33,
            double_margin: 25,
            lmp_base: 5,
            lmp_factor: 10,
            futility_depth: 9,
            futility_base: 55,
            futility_margin: 57,
            futility_history: 128,
            see_quiet_depth: 9,
            see_quiet: 15,
            see_capture_depth: 8,
            see_capture: 118,
            see_history: 32,
            history_depth: 6,
            history_margin: 9_322,
            lmr_depth: 2,
            lmr_tactical: 4,
            lmr_base: 887,
            lmr_factor: 390,
            lmr_cut: 1_706,
            lmr_worsening: 327,
            lmr_worsening_share: 250,
            lmr_pv: 1_177,
            lmr_check: 860,
            lmr_capture: 766,
            lmr_history: 7_348,
            lmr_capture_history: 8,
            deeper_margin: 15,
            shallower_margin: 13,
            raised_reduction: 1,
            quiescence_futility: 227,
            quiescence_see: -53,
            quiescence_moves: 1,
            quiescence_evasions: 2,
            history_bonus: 211,
            history_bonus_offset: 50,
            history_bonus_limit: 1_546,
            history_research: 1_200,
            history_parent: 1_500,
            history_clear: 300,
            order_see: -50,
            order_captured: 7,
            order_promotion: 600,
            order_capture_history: 4,
            order_check: 21_446,
            order_check_see: -75,
            order_unsorted: 2_500,
            mate_share: 20,
        }
    }
}

impl Tunable for ShogiSearchParameters {
    const TUNABLE: &'static [(&'static str, f64)] = &[
        ("aspiration", 6.0),
        ("razor_margin", 50.0),
        ("rfp_margin", 15.0),
        ("nmp_reduction", 1.0),
        ("nmp_depth_step", 1.0),
        ("nmp_value_step", 40.0),
        ("probcut_margin", 40.0),
        ("singular_margin", 5.0),
        ("double_margin", 10.0),
        ("lmp_base", 1.0),
        ("lmp_factor", 1.5),
        ("futility_base", 40.0),
        ("futility_margin", 25.0),
        ("see_quiet", 6.0),
        ("see_capture", 30.0),
        ("history_margin", 800.0),
        ("lmr_base", 200.0),
        ("lmr_factor", 50.0),
        ("lmr_cut", 300.0),
        ("lmr_worsening", 200.0),
        ("lmr_worsening_share", 100.0),
        ("lmr_pv", 250.0),
        ("lmr_check", 250.0),
        ("lmr_capture", 200.0),
        ("lmr_history", 2_000.0),
        ("deeper_margin", 15.0),
        ("shallower_margin", 3.0),
        ("quiescence_futility", 40.0),
        ("quiescence_see", 30.0),
        ("quiescence_moves", 1.0),
        ("history_bonus", 30.0),
        ("history_bonus_limit", 300.0),
        ("history_research", 300.0),
        ("history_parent", 250.0),
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_with_the_earlier_names_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("search.toml");
        std::fs::write(
            &path,
            "reverse_margin = 95\nnull_depth = 4\nreduction_base = 700\norder_exchange = -50\n",
        )
        .unwrap();
        let read = ShogiSearchParameters::named(path.to_str().unwrap()).unwrap();
        assert_eq!((read.rfp_margin, read.nmp_depth, read.lmr_base, read.order_see), (95, 4, 700, -50));
    }
}
