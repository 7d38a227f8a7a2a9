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
//! The host provides in the module `kaeshi`: `now_ms()`, the milliseconds since 1970-01-01 00:00 UTC, which never
//! decrease, and `panicked(address, length)`, which gets the reason before a panic ends the instance.

#![cfg(all(target_family = "wasm", target_os = "unknown"))]

use std::cell::RefCell;
use std::time::Duration;

use kaeshi_core::time::host;
use kaeshi_engine::dialect::Dialect;
use kaeshi_engine::games::GameName;
use kaeshi_engine::protocol::session::SessionSetup;
use kaeshi_engine::protocol::session::polled::PolledSession;

#[link(wasm_import_module = "kaeshi")]
unsafe extern "C" {
    safe fn now_ms() -> f64;
    safe fn panicked(address: *const u8, length: usize);
}

/// What the host and the session exchange.
#[derive(Default)]
struct Exchange {
    session: Option<PolledSession>,
    input: Vec<u8>,
    output: Vec<u8>,
}

thread_local! {
    static EXCHANGE: RefCell<Exchange> = RefCell::default();
}

/// The address of a buffer for `length` bytes of input.
#[unsafe(no_mangle)]
pub extern "C" fn kaeshi_input(length: usize) -> *mut u8 {
    EXCHANGE.with_borrow_mut(|exchange| {
        exchange.input.clear();
        exchange.input.resize(length, 0);
        exchange.input.as_mut_ptr()
    })
}

/// Begins a session of the game whose name is in the buffer; whether there is such a game.
#[unsafe(no_mangle)]
pub extern "C" fn kaeshi_open() -> bool {
    host::set_clock(|| Duration::from_secs_f64(now_ms().max(0.0) / 1_000.0));
    std::panic::set_hook(Box::new(|panic| {
        let reason = panic.to_string();
        panicked(reason.as_ptr(), reason.len());
    }));
    EXCHANGE.with_borrow_mut(|exchange| {
        let game = String::from_utf8_lossy(&exchange.input).into_owned();
        exchange.session = PolledSession::new(setup(game)).ok();
        exchange.session.is_some()
    })
}

/// Serves the lines in the buffer.
#[unsafe(no_mangle)]
pub extern "C" fn kaeshi_post() {
    EXCHANGE.with_borrow_mut(|exchange| {
        let text = std::mem::take(&mut exchange.input);
        if let Some(session) = &mut exchange.session {
            session.post(&text);
        }
    });
}

/// Searches for some tens of milliseconds; whether the search goes on.
#[unsafe(no_mangle)]
pub extern "C" fn kaeshi_poll() -> bool {
    EXCHANGE.with_borrow_mut(|exchange| exchange.session.as_mut().is_some_and(PolledSession::poll))
}

/// Takes the output; its length.
#[unsafe(no_mangle)]
pub extern "C" fn kaeshi_output() -> usize {
    EXCHANGE.with_borrow_mut(|exchange| {
        exchange.output = exchange.session.as_mut().map(PolledSession::take_output).unwrap_or_default();
        exchange.output.len()
    })
}

/// The address of the output that was taken last.
#[unsafe(no_mangle)]
pub extern "C" fn kaeshi_output_address() -> *const u8 {
    EXCHANGE.with_borrow(|exchange| exchange.output.as_ptr())
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
