//! A process that gets fewer threads and less memory than it asks for: it searches with what there is, or
//! ends and says so by its status. Nothing is silent, nothing hangs.

#![cfg(target_os = "linux")]

use std::fs::Permissions;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Black has just taken the bishop: every search takes it back, and no unsearched move does.
const POSITION: &str = "position startpos moves 7g7f 3c3d 8h2b+";
const GOOD: [&str; 2] = ["bestmove 3a2b", "bestmove 8b2b"];
/// Generous: the machine may have other things to do.
const PATIENCE: Duration = Duration::from_secs(120);

fn limit(resource: libc::__rlimit_resource_t, most: u64) -> io::Result<()> {
    let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
    // SAFETY: the call only reads the structure that it is given.
    if unsafe { libc::setrlimit(resource, &raw const limit) } == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Starts the binary after `prepare` was done in its process.
fn start(program: &str, prepare: impl FnMut() -> io::Result<()> + Send + Sync + 'static) -> Child {
    let mut command = Command::new(program);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    // SAFETY: `prepare` makes system calls only.
    unsafe { command.pre_exec(prepare) };
    let begun = Instant::now();
    loop {
        match command.spawn() {
            // A child of another test, just forked, still holds the copy of the binary open for writing.
            Err(busy) if busy.kind() == io::ErrorKind::ExecutableFileBusy && begun.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(5));
            }
            started => return started.expect("the binary starts"),
        }
    }
}

/// Sends the lines and then reads until the output ends.
fn dialogue(child: &mut Child, lines: &[&str]) -> Vec<String> {
    let mut input = child.stdin.take().expect("stdin is piped");
    let mut output = BufReader::new(child.stdout.take().expect("stdout is piped")).lines();
    let mut heard = Vec::new();
    for line in lines {
        // It may have ended.
        let _ = writeln!(input, "{line}");
        let answer = match line.split(' ').next() {
            Some("usi") => "usiok",
            Some("isready") => "readyok",
            Some("go") => "bestmove ",
            _ => continue,
        };
        for line in output.by_ref().map_while(Result::ok) {
            let answered = line.starts_with(answer);
            heard.push(line);
            if answered {
                break;
            }
        }
    }
    drop(input);
    heard.extend(output.map_while(Result::ok));
    heard
}

fn end(child: &mut Child) -> ExitStatus {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            return status;
        }
        assert!(begun.elapsed() < PATIENCE, "it does not end");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn has(heard: &[String], beginning: &str) -> bool {
    heard.iter().any(|line| line.starts_with(beginning))
}

fn searched(heard: &[String]) -> bool {
    GOOD.iter().any(|answer| has(heard, answer))
}

/// The binary as a user that may have so many threads; the system does not count those of root. `None` if we
/// are not root, who alone can become a user without any thread.
fn start_with_threads(folder: &Path, most: u32) -> Option<Child> {
    // SAFETY: the calls have no effect.
    let (user, us) = unsafe { (0x3a00_0000 + libc::gettid().unsigned_abs() * 16 + most, libc::geteuid()) };
    if us != 0 {
        eprintln!("passed over: only root can become a user without any thread");
        return None;
    }
    std::fs::set_permissions(folder, Permissions::from_mode(0o755)).expect("our own folder");
    let program = folder.join("kaeshi");
    if !program.exists() {
        std::fs::copy(env!("CARGO_BIN_EXE_kaeshi"), &program).expect("room");
    }
    Some(start(program.to_str().expect("a name"), move || {
        limit(libc::RLIMIT_NPROC, most.into())?;
        // SAFETY: the calls only change this process.
        let done = unsafe { libc::setgroups(0, std::ptr::null()) == 0 && libc::setuid(user) == 0 };
        if done { Ok(()) } else { Err(io::Error::last_os_error()) }
    }))
}

#[test]
fn fewer_threads_than_asked_for_search_all_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    for most in 1..=8 {
        let Some(mut child) = start_with_threads(folder.path(), most) else { return };
        let threads = "setoption name Threads value 4";
        let lines = ["usi", threads, "isready", POSITION, "go nodes 3000", "go nodes 3000", "quit"];
        let heard = dialogue(&mut child, &lines);
        let all = format!("with {most}: {heard:?}");
        assert!(end(&mut child).success(), "{all}");
        assert!(has(&heard, "usiok") && has(&heard, "readyok") && searched(&heard), "{all}");
        assert_eq!(heard.iter().filter(|line| line.starts_with("bestmove")).count(), 2, "{all}");
        assert_eq!(has(&heard, "info string the system grants"), most < 8, "{all}");
    }
}

#[test]
fn an_endless_search_without_a_thread_gives_way_to_the_next_command() {
    let folder = tempfile::tempdir().expect("a folder");
    for most in 1..=4 {
        let Some(mut child) = start_with_threads(folder.path(), most) else { return };
        let mut input = child.stdin.take().expect("stdin is piped");
        write!(input, "isready\n{POSITION}\ngo infinite\nisready\nstop\nquit\n").expect("it listens");
        let heard = dialogue_rest(&mut child);
        assert!(end(&mut child).success() && has(&heard, "bestmove "), "with {most}: {heard:?}");
    }
}

fn dialogue_rest(child: &mut Child) -> Vec<String> {
    BufReader::new(child.stdout.take().expect("stdout is piped")).lines().map_while(Result::ok).collect()
}

#[test]
fn limited_addresses_end_in_a_search_or_in_an_end() {
    for (kibibytes, hash) in
        [20_000, 25_000, 30_000, 40_000, 60_000, 100_000, 200_000, 300_000, 400_000, 600_000]
            .into_iter()
            .flat_map(|limit| [(limit, 64), (limit, 1024)])
    {
        let mut child = start(env!("CARGO_BIN_EXE_kaeshi"), move || limit(libc::RLIMIT_AS, kibibytes << 10));
        let hash_line = format!("setoption name USI_Hash value {hash}");
        let lines = ["usi", &hash_line, "isready", POSITION, "go nodes 3000", "quit"];
        let heard = dialogue(&mut child, &lines);
        let status = end(&mut child);
        let all = format!("{kibibytes} KiB, {hash} MiB, {status}: {heard:?}");
        assert_eq!(status.success(), searched(&heard), "{all}");
        assert!(searched(&heard) || kibibytes < 200_000, "{all}");
    }
}

/// A group of processes with a limit of its own, where this machine lets us make one.
struct Group(std::path::PathBuf);

impl Group {
    fn new(bytes: u64) -> Option<Group> {
        let versions = [("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")];
        versions.into_iter().find_map(|(top, limit)| {
            let folder = Path::new(top).join(format!("kaeshi-test-{}", std::process::id()));
            std::fs::create_dir(&folder).ok()?;
            let group = Group(folder);
            std::fs::write(group.0.join(limit), bytes.to_string()).ok()?;
            Some(group)
        })
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.0);
    }
}

#[test]
fn the_table_fits_into_the_control_group() {
    let Some(group) = Group::new(400 << 20) else {
        eprintln!("passed over: no control group can be made here");
        return;
    };
    let list = group.0.join("cgroup.procs");
    let mut child = start(env!("CARGO_BIN_EXE_kaeshi"), move || std::fs::write(&list, "0"));
    let lines = ["usi", "setoption name USI_Hash value 1024", "isready", POSITION, "go nodes 3000", "quit"];
    let heard = dialogue(&mut child, &lines);
    assert!(end(&mut child).success(), "{heard:?}");
    assert!(searched(&heard) && has(&heard, "info string Hash of 1024 MiB does not fit"), "{heard:?}");
}

/// A large table takes seconds to provide; whoever leaves meanwhile does not wait for it.
#[test]
fn quit_is_heard_while_the_table_is_provided() {
    const MIB: i64 = 3000;
    let mut child = start(env!("CARGO_BIN_EXE_kaeshi"), || Ok(()));
    let mut input = child.stdin.take().expect("stdin is piped");
    write!(input, "usi\nsetoption name USI_Hash value {MIB}\nisready\nquit\n").expect("it listens");
    let heard = dialogue_rest(&mut child);
    assert!(has(&heard, "readyok"), "{heard:?}");
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::uninit();
    let mut status = 0;
    let pid = i32::try_from(child.id()).expect("a process");
    // SAFETY: both places can be written.
    let ended = unsafe { libc::wait4(pid, &raw mut status, 0, usage.as_mut_ptr()) };
    assert_eq!((ended, status), (pid, 0));
    // SAFETY: wait4 has written it.
    let most = unsafe { usage.assume_init() }.ru_maxrss >> 10;
    assert!(most < MIB / 2, "{most} of {MIB} MiB were provided all the same");
}
