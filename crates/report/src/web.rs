//! Pages for browsers on this machine: what `play` and `live` share.
//!
//! | file | what lies there |
//! |---|---|
//! | `http` | one request and one answer on a connection |
//! | `guard` | who is answered |
//! | `server` | connections, a limited number at a time |
//! | `browser` | the address, and the browser that opens it |

mod browser;
mod guard;
pub mod http;
mod server;

pub use browser::{bind, open_browser, reachable};
pub use guard::Guard;
pub use server::{Site, serve};
