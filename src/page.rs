//! What reports and pages for the browser share.

pub mod document;
pub mod files;
pub mod svg;
pub mod text;
