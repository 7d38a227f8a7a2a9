//! Work that shall disturb nobody.

/// Gives this process the lowest priority there is.
#[cfg(unix)]
pub(super) fn lower_priority() -> anyhow::Result<()> {
    use anyhow::Context as _;
    const LOWEST: libc::c_int = 19;
    // SAFETY: a system call on numbers.
    if unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, LOWEST) } != 0 {
        return Err(std::io::Error::last_os_error()).context("cannot lower the priority");
    }
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn lower_priority() -> anyhow::Result<()> {
    anyhow::bail!("--background is there on Unix only; start the program at a low priority instead")
}
