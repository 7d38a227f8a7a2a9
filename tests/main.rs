//! The tests of the program, in one binary.

mod all_commands;
mod browser;
mod child_engine;
mod child_lines;
mod csa_server;
#[path = "mock_engine/engine.rs"]
mod engine;
#[path = "../crates/shogi/tests/independent/mod.rs"]
mod independent;
#[cfg(target_os = "linux")]
mod processes;

mod analyse_batch;
mod analyse_report;
mod analyse_requests;
mod check;
mod csa;
mod disk_full;
mod exit_status;
mod files;
mod help;
mod kept_files;
mod live_page;
mod low_resources;
mod match_cli;
mod match_resume;
mod match_rules;
mod match_verdicts;
mod names;
mod option_table;
mod options;
mod page_access;
mod play_games;
mod play_page;
mod play_server;
mod play_terminal;
mod problems;
mod protocol_log;
mod pv_lines;
mod reference;
mod report_languages;
mod shogi_selfplay;
mod shogi_training;
mod start;
mod static_page;
mod structure;
mod sygo_certificate;
mod sygo_selfplay;
mod transcripts;
mod tune_engine;
mod ugi_referee;

/// Not a test: the engine that other tests start.
#[test]
fn mock_engine() {
    if let Some((game, mode)) = engine::role() {
        engine::run(&game, &mode);
    }
}
