//! Separate processors for each game.

use std::io;

/// Divides the processors that this process may use among `games` games that need `each` of them.
///
/// # Errors
/// There are fewer processors, or the system does not bind threads.
pub fn shares(games: usize, each: usize) -> io::Result<Vec<Vec<usize>>> {
    let there = system::allowed()?;
    if games * each > there.len() {
        return Err(io::Error::other(format!(
            "{games} games at once with {each} threads each need {} processors, and {} are there",
            games * each,
            there.len()
        )));
    }
    Ok(there.chunks(each.max(1)).take(games).map(<[usize]>::to_vec).collect())
}

/// Binds this thread, and the processes that it starts from now on, to these processors.
///
/// # Errors
/// The system's reason.
pub fn bind(processors: &[usize]) -> io::Result<()> {
    system::bind(processors)
}

#[cfg(target_os = "linux")]
mod system {
    use std::io;
    use std::mem::{size_of, zeroed};

    pub fn allowed() -> io::Result<Vec<usize>> {
        // SAFETY: a set of bits, of which all zeros is the empty one.
        let mut set: libc::cpu_set_t = unsafe { zeroed() };
        // SAFETY: the set is as large as its size says; 0 is this thread.
        if unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set) } < 0 {
            return Err(io::Error::last_os_error());
        }
        let all = 0..libc::CPU_SETSIZE as usize;
        // SAFETY: the number is below the size of the set.
        Ok(all.filter(|&processor| unsafe { libc::CPU_ISSET(processor, &set) }).collect())
    }

    pub fn bind(processors: &[usize]) -> io::Result<()> {
        // SAFETY: as above.
        let mut set: libc::cpu_set_t = unsafe { zeroed() };
        for &processor in processors.iter().filter(|&&processor| processor < libc::CPU_SETSIZE as usize) {
            // SAFETY: the number is below the size of the set.
            unsafe { libc::CPU_SET(processor, &mut set) };
        }
        // SAFETY: as above.
        match unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::io;

    pub fn allowed() -> io::Result<Vec<usize>> {
        Err(io::Error::other("this system binds no threads to processors"))
    }

    pub fn bind(_processors: &[usize]) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_game_gets_processors_that_no_other_has() {
        let there = system::allowed().unwrap();
        let shares = shares(there.len(), 1).unwrap();
        assert_eq!(shares.concat(), there);
        let refused = super::shares(there.len() + 1, 1).unwrap_err().to_string();
        assert!(refused.contains(&format!("{} are there", there.len())), "{refused}");
    }

    #[test]
    fn a_process_inherits_the_processors_of_the_thread_that_starts_it() {
        let one = system::allowed().unwrap()[0];
        std::thread::spawn(move || {
            bind(&[one]).unwrap();
            let status = std::process::Command::new("cat").arg("/proc/self/status").output().unwrap().stdout;
            let text = String::from_utf8_lossy(&status).into_owned();
            let line = text.lines().find(|line| line.starts_with("Cpus_allowed_list:")).unwrap();
            assert_eq!(line.split_whitespace().last(), Some(one.to_string().as_str()));
        })
        .join()
        .unwrap();
    }
}
