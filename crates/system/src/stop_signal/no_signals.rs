//! A page in the browser has no signals: nothing stops a command.

use super::OnSignal;

/// Does nothing here.
pub fn listen(_reaction: OnSignal) {}

/// Does nothing here.
pub fn finish_first() {}

/// Does nothing here.
pub fn on_stop(_abandon: impl Fn() + Send + 'static, _before_exit: impl Fn() + Send + 'static) {}

/// Does nothing here.
pub fn resume_with(_command: Option<String>) {}

/// Does nothing here.
pub fn resume_with_unless_named(_command: impl FnOnce() -> String) {}

/// Does nothing here.
pub fn report_file_size_limit() {}

/// There is never a command to go on with.
pub(super) fn resume() -> Option<String> {
    None
}
