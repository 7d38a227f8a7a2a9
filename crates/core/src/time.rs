//! The clocks that searches and protocols read: those of the system or, in WebAssembly, that of the host.

#[cfg(any(test, all(target_family = "wasm", target_os = "unknown")))]
pub mod host;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use host::{Instant, wall};
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use system::{Instant, wall};

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
mod system {
    use std::time::SystemTime;

    pub use std::time::Instant;

    /// Date and time now.
    pub fn wall() -> SystemTime {
        SystemTime::now()
    }
}
