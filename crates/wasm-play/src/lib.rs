//! The rooms of `kaeshi play` for WebAssembly, which a worker of the page drives by three functions. Other
//! targets get an empty library.
//!
//! | function | effect |
//! |---|---|
//! | `kaeshi_input(length)` | address of a buffer for `length` bytes of input; the former contents are gone |
//! | `kaeshi_call()` | does what the buffer says (see `kaeshi_play::page_host`); the length of the answer in bytes |
//! | `kaeshi_output()` | where the answer lies until the next call of any of these functions |
//!
//! The host provides what `kaeshi_core::wasm_host` imports.

#![cfg(all(target_family = "wasm", target_os = "unknown"))]

use std::cell::RefCell;

use kaeshi_core::wasm_host::HostExchange;
use kaeshi_play::page_host::PageHost;

thread_local! {
    static EXCHANGE: RefCell<HostExchange<PageHost>> = const { RefCell::new(HostExchange::new()) };
}

/// The address of a buffer for `length` bytes of input.
#[unsafe(no_mangle)]
pub extern "C" fn kaeshi_input(length: usize) -> *mut u8 {
    EXCHANGE.with_borrow_mut(|exchange| exchange.buffer(length))
}

/// Does what the buffer says; the length of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn kaeshi_call() -> usize {
    EXCHANGE.with_borrow_mut(|exchange| {
        if exchange.server().is_none() {
            exchange.open(|_| Some(PageHost::default()));
        }
        let answer = exchange.serve(PageHost::call).unwrap_or_default();
        exchange.keep(answer)
    })
}

/// The address of the answer to the last call.
#[unsafe(no_mangle)]
pub extern "C" fn kaeshi_output() -> *const u8 {
    EXCHANGE.with_borrow(HostExchange::output_address)
}
