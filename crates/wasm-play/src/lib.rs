//! The rooms of `kaeshi play` for WebAssembly, which a worker of the page drives by three functions. Other targets get an
//! empty library.
//!
//! | function | effect |
//! |---|---|
//! | `kaeshi_input(length)` | address of a buffer for `length` bytes of input; the former contents are gone |
//! | `kaeshi_call()` | does what the buffer says (see `kaeshi_play::page_host`); the length of the answer in bytes |
//! | `kaeshi_output()` | where the answer lies until the next call of any of these functions |
//!
//! The host provides in the module `kaeshi`: `now_ms()`, the milliseconds since 1970-01-01 00:00 UTC, which never
//! decrease, and `panicked(address, length)`, which gets the reason before a panic ends the instance.

#![cfg(all(target_family = "wasm", target_os = "unknown"))]

use std::cell::RefCell;
use std::time::Duration;

use kaeshi_core::time::host;
use kaeshi_play::page_host::PageHost;

#[link(wasm_import_module = "kaeshi")]
unsafe extern "C" {
    safe fn now_ms() -> f64;
    safe fn panicked(address: *const u8, length: usize);
}

/// What the worker and the rooms exchange.
#[derive(Default)]
struct Exchange {
    host: Option<PageHost>,
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

/// Does what the buffer says; the length of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn kaeshi_call() -> usize {
    EXCHANGE.with_borrow_mut(|exchange| {
        let host = exchange.host.get_or_insert_with(|| {
            host::set_clock(|| Duration::from_secs_f64(now_ms().max(0.0) / 1_000.0));
            std::panic::set_hook(Box::new(|panic| {
                let reason = panic.to_string();
                panicked(reason.as_ptr(), reason.len());
            }));
            PageHost::default()
        });
        let input = std::mem::take(&mut exchange.input);
        exchange.output = host.call(&input);
        exchange.output.len()
    })
}

/// The address of the answer to the last call.
#[unsafe(no_mangle)]
pub extern "C" fn kaeshi_output() -> *const u8 {
    EXCHANGE.with_borrow(|exchange| exchange.output.as_ptr())
}
