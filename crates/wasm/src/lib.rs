//! The engine for WebAssembly: a session that the host drives by six functions. Other targets get an empty library.
//!
//! | function | effect |
//! |---|---|
//! | `kaeshi_input(length)` | address of a buffer for `length` bytes of input; the former contents are gone |
//! | `kaeshi_open()` | begins a session of the game whose name is in the buffer; 1, or 0 if there is no such game |
//! | `kaeshi_post()` | serves the lines in the buffer |
//! | `kaeshi_poll()` | searches for some tens of milliseconds; 1 while the search goes on, 0 otherwise |
//! | `kaeshi_output()` | takes the output: its length in bytes, whole lines in UTF-8 |
//! | `kaeshi_output_address()` | where it lies until the next call of any of these functions |
//!
//! The host provides what `kaeshi_core::wasm_host` imports.

#![cfg(all(target_family = "wasm", target_os = "unknown"))]

use std::cell::RefCell;

use kaeshi_core::wasm_host::HostExchange;
use kaeshi_engine::dialect::Dialect;
use kaeshi_engine::games::GameName;
use kaeshi_engine::protocol::session::SessionSetup;
use kaeshi_engine::protocol::session::polled::PolledSession;

thread_local! {
    static EXCHANGE: RefCell<HostExchange<PolledSession>> = const { RefCell::new(HostExchange::new()) };
}

/// The address of a buffer for `length` bytes of input.
#[unsafe(no_mangle)]
pub extern "C" fn kaeshi_input(length: usize) -> *mut u8 {
    EXCHANGE.with_borrow_mut(|exchange| exchange.buffer(length))
}

/// Begins a session of the game whose name is in the buffer; whether there is such a game.
#[unsafe(no_mangle)]
pub extern "C" fn kaeshi_open() -> bool {
    EXCHANGE.with_borrow_mut(|exchange| {
        exchange.open(|game| PolledSession::new(setup(String::from_utf8_lossy(game).into_owned())).ok())
    })
}

/// Serves the lines in the buffer.
#[unsafe(no_mangle)]
pub extern "C" fn kaeshi_post() {
    EXCHANGE.with_borrow_mut(|exchange| exchange.serve(PolledSession::post));
}

/// Searches for some tens of milliseconds; whether the search goes on.
#[unsafe(no_mangle)]
pub extern "C" fn kaeshi_poll() -> bool {
    EXCHANGE.with_borrow_mut(|exchange| exchange.server().is_some_and(PolledSession::poll))
}

/// Takes the output; its length.
#[unsafe(no_mangle)]
pub extern "C" fn kaeshi_output() -> usize {
    EXCHANGE.with_borrow_mut(|exchange| {
        let output = exchange.server().map(PolledSession::take_output).unwrap_or_default();
        exchange.keep(output)
    })
}

/// The address of the output that was taken last.
#[unsafe(no_mangle)]
pub extern "C" fn kaeshi_output_address() -> *const u8 {
    EXCHANGE.with_borrow(HostExchange::output_address)
}

fn setup(game: String) -> SessionSetup {
    SessionSetup {
        factory: Box::new(|name, events| Some(GameName::parse(name)?.engine_in_slices(events))),
        games: GameName::NAMES,
        dialect: Dialect::usual(&game),
        game,
        game_is_chosen: true,
        defaults: Vec::new(),
        options: Vec::new(),
    }
}
