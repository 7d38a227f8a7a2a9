//! Windows: a job object for each engine. What an engine starts belongs to its job, and the job's processes
//! end with the last handle of it, which is closed when the runner ends, however that happens. These jobs lie
//! within one of the runner itself.

use std::collections::BTreeSet;
use std::io;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::os::windows::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, Once, PoisonError};
use std::time::Duration;

use windows_sys::Win32::Foundation::{ERROR_MORE_DATA, FILETIME, HANDLE, INVALID_HANDLE_VALUE};
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, TH32CS_SNAPTHREAD, THREADENTRY32, Thread32First, Thread32Next,
};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_BASIC_PROCESS_ID_LIST, JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectBasicProcessIdList,
    JobObjectExtendedLimitInformation, QueryInformationJobObject, SetInformationJobObject,
    TerminateJobObject,
};
use windows_sys::Win32::System::Threading::{
    CREATE_NO_WINDOW, CREATE_SUSPENDED, GetCurrentProcess, GetProcessTimes, OpenProcess, OpenThread,
    PROCESS_QUERY_LIMITED_INFORMATION, QueryFullProcessImageNameW, ResumeThread, THREAD_SUSPEND_RESUME,
};

/// Processes of a job that are listed.
const LISTED: usize = 256;
/// The exit code of a process that is ended from outside, as `TerminateProcess` of the standard library has it.
const ENDED: u32 = 1;

/// Has the command run without the runner's console: Ctrl-C, or closing its window, is for the runner alone.
pub fn isolate(command: &mut Command) {
    command.creation_flags(CREATE_NO_WINDOW);
}

/// An engine's process and everything that it has started.
#[derive(Debug)]
pub struct Group {
    job: OwnedHandle,
    leader: u32,
    /// What the engine had started, and had to be ended.
    ended: Mutex<BTreeSet<u32>>,
}

impl Group {
    /// Starts a command; it begins to run when it belongs to the job.
    pub fn spawn(command: &mut Command) -> io::Result<(Child, Group)> {
        tie_children();
        let job = new_job()?;
        let mut child = command.creation_flags(CREATE_NO_WINDOW | CREATE_SUSPENDED).spawn()?;
        // SAFETY: both handles are open.
        let assigned = unsafe { AssignProcessToJobObject(job.as_raw_handle(), child.as_raw_handle()) };
        let started = checked(assigned).and_then(|()| resume(child.id()));
        if let Err(error) = started {
            let _ = child.kill();
            let _ = child.wait();
            return Err(error);
        }
        let leader = child.id();
        Ok((child, Group { job, leader, ended: Mutex::default() }))
    }

    /// Ends all of them: there is nothing that asks a program without a window to end.
    pub fn terminate(&self) {
        self.kill();
    }

    /// Ends all of them.
    pub fn kill(&self) {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).extend(self.others());
        // SAFETY: the handle is open.
        unsafe { TerminateJobObject(self.job.as_raw_handle(), ENDED) };
    }

    /// The processes that the engine had started and that were ended.
    pub fn ended(&self) -> BTreeSet<u32> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The processes that the engine has started and that still run. Consoles are the system's own.
    fn others(&self) -> Vec<u32> {
        #[repr(C)]
        struct List {
            head: JOBOBJECT_BASIC_PROCESS_ID_LIST,
            more: [usize; LISTED],
        }
        let mut list = List { head: JOBOBJECT_BASIC_PROCESS_ID_LIST::default(), more: [0; LISTED] };
        // SAFETY: the call fills in the structure, whose size is passed.
        let filled = unsafe {
            QueryInformationJobObject(
                self.job.as_raw_handle(),
                JobObjectBasicProcessIdList,
                (&raw mut list).cast(),
                size_of::<List>() as u32,
                std::ptr::null_mut(),
            )
        };
        if checked(filled).is_err_and(|error| error.raw_os_error() != Some(ERROR_MORE_DATA.cast_signed())) {
            return Vec::new();
        }
        let all = list.head.ProcessIdList.into_iter().chain(list.more);
        all.take(list.head.NumberOfProcessIdsInList as usize)
            .filter_map(|pid| u32::try_from(pid).ok())
            .filter(|&pid| pid != self.leader && !is_console(pid))
            .collect()
    }
}

/// Has everything that this process starts from now on end with it. An engine is suspended until it belongs to its own
/// job, and would stay so if the runner were killed meanwhile.
fn tie_children() {
    static TIED: Once = Once::new();
    TIED.call_once(|| {
        let tied = new_job().and_then(|job| {
            // SAFETY: both handles are open.
            checked(unsafe { AssignProcessToJobObject(job.as_raw_handle(), GetCurrentProcess()) })?;
            // The end of the process closes it.
            std::mem::forget(job);
            Ok(())
        });
        if let Err(error) = tied {
            log::warn!("engines may outlive a runner that is killed: {error}");
        }
    });
}

/// A job that ends its processes when its last handle is closed.
fn new_job() -> io::Result<OwnedHandle> {
    // SAFETY: without attributes and name; the handle is ours alone.
    let job = unsafe { owned(CreateJobObjectW(std::ptr::null(), std::ptr::null())) }?;
    let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    // SAFETY: the structure is of the kind and size that are passed.
    checked(unsafe {
        SetInformationJobObject(
            job.as_raw_handle(),
            JobObjectExtendedLimitInformation,
            (&raw const limits).cast(),
            size_of_val(&limits) as u32,
        )
    })?;
    Ok(job)
}

/// Lets the threads of a suspended process run. The standard library does not show which thread is the first one.
fn resume(pid: u32) -> io::Result<()> {
    // SAFETY: a call on numbers; the handle is ours alone.
    let threads = unsafe { owned(CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0)) }?;
    let mut entry = THREADENTRY32 { dwSize: size_of::<THREADENTRY32>() as u32, ..Default::default() };
    let mut resumed = false;
    // SAFETY: the handle is open, and the structure says how large it is.
    let mut more = unsafe { Thread32First(threads.as_raw_handle(), &raw mut entry) };
    while more != 0 {
        if entry.th32OwnerProcessID == pid {
            // SAFETY: calls on numbers and on an open handle of ours.
            unsafe {
                let thread = owned(OpenThread(THREAD_SUSPEND_RESUME, 0, entry.th32ThreadID))?;
                resumed |= ResumeThread(thread.as_raw_handle()) != u32::MAX;
            }
        }
        // SAFETY: as above.
        more = unsafe { Thread32Next(threads.as_raw_handle(), &raw mut entry) };
    }
    if resumed { Ok(()) } else { Err(io::Error::other("the first thread of the engine is not to be found")) }
}

/// Whether a process is the system's part of a console.
fn is_console(pid: u32) -> bool {
    let mut name = [0_u16; 1024];
    let mut length = name.len() as u32;
    // SAFETY: the handle is ours alone, and the name is as long as `length` says.
    let known = unsafe {
        owned(OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, 0, pid)).is_ok_and(|process| {
            QueryFullProcessImageNameW(process.as_raw_handle(), 0, name.as_mut_ptr(), &raw mut length) != 0
        })
    };
    let name = String::from_utf16_lossy(name.get(..length as usize).unwrap_or_default());
    known && name.rsplit('\\').next().is_some_and(|name| name.eq_ignore_ascii_case("conhost.exe"))
}

/// Processor time that process `pid` has used so far; `None` if it is gone.
pub fn processor_time(pid: u32) -> Option<Duration> {
    let [mut created, mut exited, mut kernel, mut user] = [FILETIME::default(); 4];
    // SAFETY: the handle is ours alone, and the call fills in the four structures.
    let known = unsafe {
        let process = owned(OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, 0, pid)).ok()?;
        let [created, exited] = [&raw mut created, &raw mut exited];
        GetProcessTimes(process.as_raw_handle(), created, exited, &raw mut kernel, &raw mut user)
    };
    // In units of 100 ns.
    let units = |time: FILETIME| u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
    (known != 0).then(|| Duration::from_nanos((units(kernel) + units(user)).saturating_mul(100)))
}

/// Takes a handle that a call has just made.
///
/// # Safety
/// If it is valid, nothing else closes it.
unsafe fn owned(handle: HANDLE) -> io::Result<OwnedHandle> {
    if handle.is_null() || handle == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: as the caller guarantees.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}

/// The result of a call that says 0 where it failed.
fn checked(result: i32) -> io::Result<()> {
    if result == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// `exit code 3` or `exit code 0xc0000005`, as on other systems without the colon of the standard library.
pub fn describe(status: ExitStatus) -> String {
    status.to_string().replace("code: ", "code ")
}
