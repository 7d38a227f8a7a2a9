//! What reports and pages for the browser share.

pub mod escape;
pub mod files;
pub mod svg;
