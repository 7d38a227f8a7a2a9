//! The interface that the WebAssembly libraries share: their imports from the host, and the exchange of bytes.
//!
//! The host provides in the module `kaeshi`: `now_ms()`, the milliseconds since 1970-01-01 00:00 UTC, which never
//! decrease, and `panicked(address, length)`, which gets the reason before a panic ends the instance.

use std::time::Duration;

use crate::time::host;

#[link(wasm_import_module = "kaeshi")]
unsafe extern "C" {
    safe fn now_ms() -> f64;
    safe fn panicked(address: *const u8, length: usize);
}

/// Reads times from the host, and passes the reason of a panic to it, from now on.
fn connect() {
    host::set_clock(|| Duration::from_secs_f64(now_ms().max(0.0) / 1_000.0));
    std::panic::set_hook(Box::new(|panic| {
        let reason = panic.to_string();
        panicked(reason.as_ptr(), reason.len());
    }));
}

/// The input that the host writes, the output that it reads, and what turns one into the other.
#[derive(Debug)]
pub struct HostExchange<T> {
    server: Option<T>,
    input: Vec<u8>,
    output: Vec<u8>,
}

impl<T> HostExchange<T> {
    /// Without a server.
    pub const fn new() -> HostExchange<T> {
        HostExchange { server: None, input: Vec::new(), output: Vec::new() }
    }

    /// Connects to the host, and makes the server from the input; whether there is one.
    pub fn open(&mut self, make: impl FnOnce(&[u8]) -> Option<T>) -> bool {
        connect();
        self.server = make(&self.input);
        self.server.is_some()
    }

    /// The server, once there is one.
    pub fn server(&mut self) -> Option<&mut T> {
        self.server.as_mut()
    }

    /// The address of a buffer for `length` bytes of input; the former contents are gone.
    pub fn buffer(&mut self, length: usize) -> *mut u8 {
        self.input.clear();
        self.input.resize(length, 0);
        self.input.as_mut_ptr()
    }

    /// Does `serve` with the server, if there is one, and the input, which is gone afterwards.
    pub fn serve<R>(&mut self, serve: impl FnOnce(&mut T, &[u8]) -> R) -> Option<R> {
        let input = std::mem::take(&mut self.input);
        self.server.as_mut().map(|server| serve(server, &input))
    }

    /// Keeps the output until the next one; its length.
    pub fn keep(&mut self, output: Vec<u8>) -> usize {
        self.output = output;
        self.output.len()
    }

    /// The address of the output that is kept.
    pub fn output_address(&self) -> *const u8 {
        self.output.as_ptr()
    }
}
