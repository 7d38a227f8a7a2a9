//! A process that gets fewer threads and less memory than it asks for: it searches with what there is, or
//! ends and says so by its status. Nothing is silent, nothing hangs.

#![cfg(target_os = "linux")]

use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::child_lines::{ANSWER_TIMEOUT, ChildLines};

/// Black has just taken the bishop: every search takes it back, and no unsearched move does.
const POSITION: &str = "position startpos moves 7g7f 3c3d 8h2b+";
const GOOD: [&str; 2] = ["bestmove 3a2b", "bestmove 8b2b"];

fn limit(resource: libc::__rlimit_resource_t, most: u64) -> io::Result<()> {
    let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
    // SAFETY: the call only reads the structure that it is given.
    if unsafe { libc::setrlimit(resource, &raw const limit) } == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Sets the limit of a process, 0 being this one, that it may raise again.
fn set_soft_limit(process: libc::pid_t, resource: libc::__rlimit_resource_t, most: u64) -> io::Result<()> {
    let limit = libc::rlimit { rlim_cur: most, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: the call only reads the structure that it is given.
    if unsafe { libc::prlimit(process, resource, &raw const limit, std::ptr::null_mut()) } == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Starts the binary after `prepare` was done in its process.
fn start(program: &str, prepare: impl FnMut() -> io::Result<()> + Send + Sync + 'static) -> Child {
    spawn(&mut prepared(program, prepare))
}

fn prepared(program: &str, prepare: impl FnMut() -> io::Result<()> + Send + Sync + 'static) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    // SAFETY: `prepare` makes system calls only.
    unsafe { command.pre_exec(prepare) };
    command
}

fn spawn(command: &mut Command) -> Child {
    let begun = Instant::now();
    loop {
        match command.spawn() {
            // A child of another test, just forked, still holds the copy of the binary open for writing.
            Err(busy)
                if busy.kind() == io::ErrorKind::ExecutableFileBusy && begun.elapsed() < ANSWER_TIMEOUT =>
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            started => return started.expect("the binary starts"),
        }
    }
}

/// Sends the lines and then reads until the output ends.
fn dialogue(child: &mut Child, lines: &[&str]) -> Vec<String> {
    let mut input = child.stdin.take().expect("stdin is piped");
    let mut output = ChildLines::of(child.stdout.take().expect("stdout is piped"));
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
        for line in output.by_ref() {
            let answered = line.starts_with(answer);
            heard.push(line);
            if answered {
                break;
            }
        }
    }
    drop(input);
    heard.extend(output);
    heard
}

fn end(child: &mut Child) -> ExitStatus {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            return status;
        }
        assert!(begun.elapsed() < ANSWER_TIMEOUT, "it does not end");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn has(heard: &[String], beginning: &str) -> bool {
    heard.iter().any(|line| line.starts_with(beginning))
}

fn searched(heard: &[String]) -> bool {
    GOOD.iter().any(|answer| has(heard, answer))
}

/// The binary as a user with a limit of threads; the system does not count those of root.
///
/// # Panics
/// We are not root, who alone can become a user without any thread.
fn start_with_threads(folder: &Path, most: u32) -> Child {
    spawn(&mut command_with_threads(folder, most, &[]))
}

fn command_with_threads(folder: &Path, most: u32, words: &[&str]) -> Command {
    // SAFETY: the calls have no effect.
    let (user, us) = unsafe { (0x3a00_0000 + libc::gettid().unsigned_abs() * 16 + most, libc::geteuid()) };
    assert_eq!(us, 0, "this test needs root, to become a user without any thread");
    std::fs::set_permissions(folder, Permissions::from_mode(0o755)).expect("our own folder");
    let program = folder.join("kaeshi");
    if !program.exists() {
        std::fs::copy(env!("CARGO_BIN_EXE_kaeshi"), &program).expect("room");
    }
    let mut command = prepared(program.to_str().expect("a name"), move || {
        limit(libc::RLIMIT_NPROC, most.into())?;
        // SAFETY: the calls only change this process.
        let done = unsafe { libc::setgroups(0, std::ptr::null()) == 0 && libc::setuid(user) == 0 };
        if done { Ok(()) } else { Err(io::Error::last_os_error()) }
    });
    command.args(words).current_dir(folder);
    command
}

#[test]
#[ignore = "needs root: .ci/run runs it"]
fn fewer_threads_than_asked_for_search_all_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    for most in 1..=8 {
        let mut child = start_with_threads(folder.path(), most);
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

/// A game of `kaeshi play` needs its own threads.
#[test]
#[ignore = "needs root: .ci/run runs it"]
fn a_game_without_threads_ends_in_a_message() {
    let folder = tempfile::tempdir().expect("a folder");
    for most in 1..=6 {
        let words = ["play", "--terminal", "--game", "reversi"];
        let mut command = command_with_threads(folder.path(), most, &words);
        let (status, printed) = run(&mut command, &[], "quit\n");
        let all = format!("with {most}: {status}: {printed}");
        assert!(matches!(status.code(), Some(0 | 2)), "{all}");
        assert_eq!(status.code() == Some(2), printed.contains("the system grants no thread"), "{all}");
        assert!(!printed.contains("panicked"), "{all}");
        assert!(most > 1 || status.code() == Some(2), "{all}");
    }
}

#[test]
#[ignore = "needs root: .ci/run runs it"]
fn an_endless_search_without_a_thread_gives_way_to_the_next_command() {
    let folder = tempfile::tempdir().expect("a folder");
    for most in 1..=4 {
        let mut child = start_with_threads(folder.path(), most);
        let mut input = child.stdin.take().expect("stdin is piped");
        write!(input, "isready\n{POSITION}\ngo infinite\nisready\nstop\nquit\n").expect("it listens");
        let heard = dialogue_rest(&mut child);
        assert!(end(&mut child).success() && has(&heard, "bestmove "), "with {most}: {heard:?}");
    }
}

fn dialogue_rest(child: &mut Child) -> Vec<String> {
    ChildLines::of(child.stdout.take().expect("stdout is piped")).collect()
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

/// A group of processes with its own limit.
struct LimitedGroup(std::path::PathBuf);

impl LimitedGroup {
    fn new(bytes: u64) -> LimitedGroup {
        let versions = [("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")];
        let made = versions.into_iter().find_map(|(top, limit)| {
            let folder = Path::new(top).join(format!("kaeshi-test-{}", std::process::id()));
            std::fs::create_dir(&folder).ok()?;
            let group = LimitedGroup(folder);
            std::fs::write(group.0.join(limit), bytes.to_string()).ok()?;
            Some(group)
        });
        made.expect(
            "this test needs root, and a control group of memory below /sys/fs/cgroup that it may write",
        )
    }
}

impl Drop for LimitedGroup {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.0);
    }
}

#[test]
#[ignore = "needs root: .ci/run runs it"]
fn the_table_fits_into_the_control_group() {
    let group = LimitedGroup::new(400 << 20);
    let list = group.0.join("cgroup.procs");
    let mut child = start(env!("CARGO_BIN_EXE_kaeshi"), move || std::fs::write(&list, "0"));
    let lines = ["usi", "setoption name USI_Hash value 1024", "isready", POSITION, "go nodes 3000", "quit"];
    let heard = dialogue(&mut child, &lines);
    assert!(end(&mut child).success(), "{heard:?}");
    assert!(searched(&heard) && has(&heard, "info string Hash of 1024 MiB does not fit"), "{heard:?}");
}

/// A large table takes seconds to provide; `quit` meanwhile does not wait for it.
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

/// Runs the program with these words, and gives its status with all that it printed.
fn run(command: &mut Command, words: &[&str], input: &str) -> (ExitStatus, String) {
    let mut child = spawn(command.args(words).stderr(Stdio::piped()));
    // It may have ended.
    let _ = child.stdin.take().expect("stdin is piped").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    let printed = [output.stdout, output.stderr].concat();
    (output.status, String::from_utf8_lossy(&printed).into_owned())
}

fn with_addresses(kibibytes: u64) -> Command {
    prepared(env!("CARGO_BIN_EXE_kaeshi"), move || limit(libc::RLIMIT_AS, kibibytes << 10))
}

#[test]
fn many_threads_and_a_large_table_take_what_there_is() {
    for kibibytes in [250_000, 400_000, 600_000] {
        for (game, more, go) in [
            ("shogi", "", "go nodes 3000"),
            ("shogi", "", "go mate 2000"),
            ("shogi", "setoption name Search value alphabeta", "go depth 3"),
            ("reversi", "", "go nodes 3000"),
            ("sygo", "", "go nodes 300"),
            ("sygo", "setoption name Searcher value alphabeta", "go depth 1"),
        ] {
            let input = format!(
                "usi\nsetoption name Threads value 16\nsetoption name USI_Hash value 1024\n{more}\nisready\n\
                 position startpos\n{go}\nquit\n"
            );
            let (status, printed) = run(&mut with_addresses(kibibytes), &["--game", game], &input);
            let all = format!("{kibibytes} KiB, {game}, {go}: {status}: {printed}");
            assert!(status.success() && printed.contains("readyok"), "{all}");
            assert!(printed.contains("bestmove ") || printed.contains("checkmate "), "{all}");
            assert!(!printed.contains("panicked") && !printed.contains("internal error"), "{all}");
            assert!(printed.contains("info string Hash of 1024 MiB does not fit"), "{all}");
        }
    }
}

/// Stacks of many threads leave room for one worker at least.
#[test]
fn more_threads_than_there_is_room_for_leave_room_for_a_search() {
    for kibibytes in [200_000, 300_000, 440_000] {
        for game in ["shogi", "reversi", "sygo"] {
            let input =
                "ugi\nsetoption name Threads value 128\nisready\nposition startpos\ngo nodes 300\nquit\n";
            let (status, printed) = run(&mut with_addresses(kibibytes), &["--game", game], input);
            let all = format!("{kibibytes} KiB, {game}: {status}: {printed}");
            assert!(
                status.success() && printed.contains("info depth ") && printed.contains("bestmove "),
                "{all}"
            );
        }
    }
}

/// Values are those of the weights, or there is no search.
#[test]
fn weights_without_room_are_not_replaced_by_the_hand_crafted_evaluation() {
    let input = "ugi\nisready\nposition startpos moves d3\ngo depth 1\nquit\n";
    let value = |printed: &str| {
        let line = printed.lines().find(|line| line.starts_with("info depth"))?;
        Some(line.split_whitespace().skip_while(|word| *word != "cp").nth(1)?.to_owned())
    };
    let free = &mut prepared(env!("CARGO_BIN_EXE_kaeshi"), || Ok(()));
    let (_, printed) = run(free, &["--game", "reversi"], input);
    let expected = value(&printed);
    assert!(expected.is_some(), "{printed}");
    for kibibytes in (50_000..=100_000).step_by(5_000) {
        let (status, printed) = run(&mut with_addresses(kibibytes), &["--game", "reversi"], input);
        let all = format!("{kibibytes} KiB: {status}: {printed}");
        if status.success() {
            assert_eq!(value(&printed), expected, "{all}");
        } else {
            assert!(printed.contains("no search thread can be set up"), "{all}");
        }
    }
}

/// Work refused for lack of memory is tried again by the next search.
#[test]
fn weights_are_unpacked_once_there_is_room() {
    let mut refused = 0;
    for kibibytes in (50_000..=100_000).step_by(5_000) {
        let mut command = prepared(env!("CARGO_BIN_EXE_kaeshi"), move || {
            set_soft_limit(0, libc::RLIMIT_AS, kibibytes << 10)
        });
        let mut child = spawn(command.args(["--game", "reversi"]));
        let mut input = child.stdin.take().expect("stdin is piped");
        let mut output = ChildLines::of(child.stdout.take().expect("stdout is piped"));
        let mut search = |words: &str| -> Vec<String> {
            // It may have ended.
            let _ = write!(input, "{words}position startpos moves d3\ngo depth 1\n");
            let mut lines = Vec::new();
            for line in output.by_ref() {
                lines.push(line);
                if lines.last().is_some_and(|line| line.starts_with("bestmove ")) {
                    break;
                }
            }
            lines
        };
        let first = search("ugi\nsetoption name Hash value 1\n");
        if has(&first, "info string no search thread can be set up") {
            refused += 1;
            let process = libc::pid_t::try_from(child.id()).expect("a process");
            set_soft_limit(process, libc::RLIMIT_AS, libc::RLIM_INFINITY).expect("our own child");
            let second = search("");
            assert!(has(&second, "info depth 1 "), "{kibibytes} KiB: {second:?}");
        }
        drop(input);
        end(&mut child);
    }
    assert!(refused > 0);
}

/// Commands that request more threads or memory than there are, and their messages.
const GREEDY: [(&str, &str); 10] = [
    ("analyse line.txt --nodes 2000 --threads 16 --hash 1024 --jobs 4", ""),
    ("solve --game reversi reversi.txt --threads 16 --hash 4096", "MiB are used"),
    ("solve --game sygo sygo.txt --threads 64 --hash 4096", "MiB are used"),
    ("selfplay --game shogi --nodes 30 --games 2 --threads 64 --out games", "of 64 threads"),
    ("selfplay --game reversi --depth 2 --games 4 --threads 64 --out games", "of 64 threads"),
    ("selfplay --game sygo --size 4 --games 4 --threads 64 --out games", "of 64 threads"),
    ("tune --game sygo --size 4 --iteration 1 --pairs 2 --threads 64 --out tuned", "of 64 threads"),
    ("train --game sygo --size 4 --iteration 1 --pairs 2 --threads 64 --out trained", "of 64 threads"),
    ("book --game reversi --depth 2 --positions 4 --threads 64 --out book", "of 64 threads"),
    ("bench cache --game reversi --nodes 100 --requests 1 --hash 4096", "MiB are used"),
];

/// Where an ordinary allocation fails the program ends, so threads and table leave room for many of them.
#[test]
fn threads_and_table_leave_room_for_everything_else() {
    for (game, hash) in [("shogi", "USI_Hash"), ("reversi", "Hash"), ("sygo", "Hash")] {
        for kibibytes in [300_000, 440_000, 450_000, 470_000, 600_000] {
            let mut child =
                start(env!("CARGO_BIN_EXE_kaeshi"), move || limit(libc::RLIMIT_AS, kibibytes << 10));
            let mut input = child.stdin.take().expect("stdin is piped");
            let mut output = ChildLines::of(child.stdout.take().expect("stdout is piped"));
            let words = format!(
                "ugi\nsetoption name Game value {game}\nsetoption name Threads value 16\n\
                 setoption name {hash} value 1024\nisready\n"
            );
            input.write_all(words.as_bytes()).expect("it runs");
            assert!(output.any(|line| line == "readyok"), "{game}: {kibibytes} KiB");
            let status =
                std::fs::read_to_string(format!("/proc/{}/status", child.id())).expect("a process that runs");
            let size = status.lines().find_map(|line| line.strip_prefix("VmSize:")).expect("its size");
            let used: u64 = size.trim().trim_end_matches(" kB").parse().expect("a number");
            assert!(used + (16 << 10) <= kibibytes, "{game}: {used} of {kibibytes} KiB are used");
            drop((input, output));
            assert!(end(&mut child).success());
        }
    }
}

/// A table takes what there is beside the search threads, and a mate table leaves room for everything else.
#[test]
fn solvers_and_mate_tables_leave_memory_for_the_rest() {
    let folder = tempfile::tempdir().expect("a folder");
    put_files(folder.path());
    for kibibytes in [60_000, 80_000, 100_000, 120_000, 150_000, 200_000] {
        for words in [
            "solve --game reversi reversi.txt --hash 64",
            "solve --game reversi reversi.txt --threads 16 --hash 4096",
            "solve --game sygo sygo.txt --threads 16 --hash 4096",
            "solve --game shogi mate.txt --hash 4096",
        ] {
            let words: Vec<&str> = words.split(' ').collect();
            let (status, printed) = run(with_addresses(kibibytes).current_dir(folder.path()), &words, "");
            let all = format!("{kibibytes} KiB, {words:?}: {status}: {printed}");
            assert!(matches!(status.code(), Some(0 | 2)), "{all}");
            assert!(!printed.contains("memory allocation") && !printed.contains("internal error"), "{all}");
        }
    }
    for kibibytes in [300_000, 450_000, 600_000, 750_000] {
        let input = "usi\nsetoption name Threads value 16\nsetoption name USI_Hash value 1024\nisready\n\
                     position startpos\ngo mate 2000\nisready\ngo mate 2000\nquit\n";
        let (status, printed) = run(&mut with_addresses(kibibytes), &["--game", "shogi"], input);
        let all = format!("{kibibytes} KiB: {status}: {printed}");
        assert!(status.success() && printed.matches("checkmate ").count() == 2, "{all}");
    }
}

fn put_files(folder: &Path) {
    let put = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("room");
    put("line.txt", "position startpos\n");
    put("reversi.txt", &format!("{}O- X\n", "X".repeat(62)));
    put("sygo.txt", "3x2\n");
    put("mate.txt", "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1\n");
}

#[test]
fn tools_work_with_less_than_they_ask_for() {
    let folder = tempfile::tempdir().expect("a folder");
    put_files(folder.path());
    for (words, said) in GREEDY {
        let mut command = with_addresses(400_000);
        let words: Vec<&str> = words.split(' ').collect();
        let (status, printed) = run(command.current_dir(folder.path()), &words, "");
        assert!(status.success() && printed.contains(said), "{words:?}: {status}: {printed}");
        assert!(!printed.contains("panicked") && !printed.contains("internal error"), "{words:?}: {printed}");
    }
}

#[test]
#[ignore = "needs root: .ci/run runs it"]
fn tools_work_with_the_threads_that_there_are() {
    let folder = tempfile::tempdir().expect("a folder");
    put_files(folder.path());
    for most in [2, 4] {
        for (words, _) in GREEDY {
            // The files of each user are its own.
            let place = folder.path().join(format!("{most}"));
            std::fs::create_dir_all(&place).expect("room");
            std::fs::set_permissions(&place, Permissions::from_mode(0o777)).expect("our own folder");
            let out = format!("--out {most}/");
            let words = words.replace("--out ", &out);
            let words: Vec<&str> = words.split(' ').collect();
            let mut command = command_with_threads(folder.path(), most, &[]);
            let (status, printed) = run(&mut command, &words, "");
            assert!(!printed.contains("panicked"), "{most}, {words:?}: {printed}");
            // An analysis needs a thread that reads, one that searches, and those of the engine.
            let is_refused = words[0] == "analyse" && printed.contains("grants no thread");
            assert!(status.success() || is_refused, "{most}, {words:?}: {status}: {printed}");
        }
    }
}

fn with_file_size(bytes: u64) -> Command {
    prepared(env!("CARGO_BIN_EXE_kaeshi"), move || limit(libc::RLIMIT_FSIZE, bytes))
}

#[test]
fn a_log_that_may_not_grow_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log.txt");
    let refused = "info string option LogFile: cannot write";
    // Whether the hello is already part of the log when its file is opened depends on the thread that prints it.
    for (bytes, said) in [(0, vec![refused]), (2_000, vec![refused, "LogFile cannot be written any more"])] {
        let input = format!(
            "usi\nsetoption name LogFile value {}\nisready\nusi\nusi\nisready\nquit\n",
            path.display()
        );
        // The answer to shogi's hello goes into the log as well.
        let (status, printed) = run(&mut with_file_size(bytes), &["--game", "sygo"], &input);
        assert!(status.success(), "{bytes}: {status}: {printed}");
        let reported = said.iter().any(|said| printed.contains(said));
        assert!(reported && printed.contains("File too large"), "{bytes}: {printed}");
        assert_eq!(printed.matches("readyok").count(), 2, "{printed}");
    }
}

#[test]
fn files_that_may_not_grow_are_errors() {
    let folder = tempfile::tempdir().expect("a folder");
    put_files(folder.path());
    for words in [
        "analyse line.txt --nodes 10 -o lines.jsonl",
        "analyse line.txt --nodes 10 --summary summary.jsonl",
        "selfplay --game shogi --nodes 30 --games 2 --out games",
        "tune --game sygo --size 4 --iteration 1 --pairs 1 --out tuned",
        "book --game reversi --depth 1 --positions 1 --out book",
        "match kaeshi kaeshi --game reversi --nodes 10 --games 2 --out played",
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        let mut command = with_file_size(0);
        let (status, printed) = run(command.current_dir(folder.path()), &words, "");
        assert_eq!(status.code(), Some(2), "{words:?}: {status}: {printed}");
        assert!(printed.contains("File too large"), "{words:?}: {printed}");
    }
}
