//! `kaeshi match`: tournaments between engines of any of the four protocols, refereed by our own
//! rules, recorded game by game so that a match that was killed goes on where it stopped.
//!
//! The runner appends to a journal and keeps no other truth; everything shown is computed from it:
//!
//! | file | idea |
//! |---|---|
//! | [`journal`] | the typed lines of `journal.jsonl`: what everything below reads |
//! | [`kaeshi_statistics`] | Elo, its error, the sequential test: [`kaeshi_statistics::SprtMonitor`] follows a match |
//! | [`summary`] | what a journal amounts to; tables and report show it |
//! | [`running`] | the games that are being played, for the live page; no truth, and not synced |
//! | [`live_page`] | the page that shows a running match or tuning |
//! | [`kaeshi_records::referee::replay`] | the positions a recorded game went through, by our own rules |
//! | [`bracket`] | a knock-out: who goes on, and what is to be played next |
//! | [`outputs`] | what is written beside the journal, checked before anything is made |
//! | [`pgn`] | games for rating programs and viewers |
//! | [`runner_words`] | command lines of cutechess and fastchess |
//! | [`records`] | `write_all(&Journal, folder)`: KIF, CSA, USI lines, GGF, transcripts, Sygo turn lists |
//! | [`report`] | `table(&Journal) -> String` for the terminal, `html(&Journal) -> String` for a browser |

pub mod args;
pub mod bracket;
pub mod config;
pub mod engine_spec;
pub mod game;
pub mod headings;
pub mod identity;
pub mod journal;
pub mod knockout;
pub mod live_page;
pub mod load;
pub mod make_openings;
pub mod openings;
pub mod outputs;
pub mod participants;
pub mod pgn;
pub mod plan;
pub mod progress;
pub mod recognition;
pub mod records;
pub mod replay_rule;
pub mod replays;
pub mod report;
pub mod run;
pub mod runner_words;
pub mod running;
pub mod schedule;
pub mod simulate;
pub mod summary;
pub mod warnings;
