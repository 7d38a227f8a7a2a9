//! `kaeshi play`: a board in the browser for all three games.
//!
//! ```no_run
//! use clap::Parser;
//!
//! #[derive(Parser)]
//! struct Line {
//!     #[command(flatten)]
//!     play: kaeshi_play::PlayArgs,
//! }
//!
//! // Opens a board of Reversi in the browser, and returns when its last tab is closed.
//! Line::try_parse_from(["play", "--game", "reversi", "--level", "8"])?.play.run()?;
//! # Ok::<(), anyhow::Error>(())
//! ```
//!
//! | file | contents |
//! |---|---|
//! | `command` | the command line |
//! | `server` | the page and its files, by HTTP |
//! | `service` | requests of the page: rooms, the list of games |
//! | `static_page` | the same page as files, for any file server |
//! | `page_host` | the service in a browser, where it has no threads and no files |
//! | `room` | one game at one tab: requests, engines, clocks |
//! | `tree`, `games` | the game with its variations; the parts of the page that differ between the games |
//! | `engine_thread`, `clock` | an engine on its thread; both clocks |
//! | `library`, `saved` | the games on disk; the form of their files |
//! | `explorer` | the turns played from a position in kept games and opened files |
//! | `files` | records in and out |
//! | `qr_code` | the link of the page for the camera of a phone |
//! | `record_file` | the file of `--record` |
//! | `view` | the state that the page gets |
//! | `terminal`, `terminal_board` | the same game without a browser; its board as text |

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]
// The code for files and connections is not used in a browser.
#![cfg_attr(target_family = "wasm", allow(dead_code))]

mod clock;
#[cfg(not(target_family = "wasm"))]
mod command;
mod engine_thread;
mod explorer;
mod files;
mod games;
mod library;
pub mod page_host;
#[cfg(not(target_family = "wasm"))]
mod qr_code;
mod record_file;
mod room;
mod saved;
#[cfg(not(target_family = "wasm"))]
mod server;
mod service;
#[cfg(not(target_family = "wasm"))]
mod static_page;
#[cfg(not(target_family = "wasm"))]
mod terminal;
#[cfg(not(target_family = "wasm"))]
mod terminal_board;
mod tree;
mod view;

#[cfg(not(target_family = "wasm"))]
pub use command::PlayArgs;

/// Reads one request as the server does, for fuzzing: head, body, and the request to a room.
#[cfg(feature = "fuzzing")]
pub fn parse_request(mut bytes: &[u8]) {
    if let Ok(request) = kaeshi_report::web::http::read(&mut bytes) {
        let _ = (request.header("host"), request.parameter("tab"));
        service::read_requests(&request.body);
    }
}
