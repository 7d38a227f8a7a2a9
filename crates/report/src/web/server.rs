//! Connections, each on its own thread, and not too many of them.

use std::collections::VecDeque;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::guard::Guard;
use super::http::{self, HttpRequest, HttpResponse};

/// Connections at a time; where one more comes, the one that has been waiting longest for its request ends.
const CONNECTIONS: usize = 96;

/// How long a new connection waits for the threads of closed ones to end, on a busy machine.
const CLOSING: Duration = Duration::from_secs(1);
/// Time between two checks whether they have ended.
const PAUSE: Duration = Duration::from_millis(5);

/// Answers requests.
pub trait Site: Send + Sync + 'static {
    /// The access control.
    fn guard(&self) -> &Guard;

    /// Answers a request that the guard admits.
    fn answer(&self, stream: &mut TcpStream, request: &HttpRequest);
}

#[derive(Default)]
struct Connections {
    count: usize,
    next: u64,
    /// Connections whose request has not come yet, the oldest first.
    waiting: VecDeque<WaitingConnection>,
}

struct WaitingConnection {
    number: u64,
    stream: TcpStream,
    /// Set when the connection is closed: on Windows a shutdown does not wake its thread.
    closed: Arc<AtomicBool>,
}

/// A connection that is counted in until this is dropped, also where an answer panics.
struct CountedConnection {
    number: u64,
    connections: Arc<Mutex<Connections>>,
}

impl CountedConnection {
    /// Notes that its request has arrived, or will not.
    fn has_waited(&self) {
        self.connections.lock().waiting.retain(|waiting| waiting.number != self.number);
    }
}

impl Drop for CountedConnection {
    fn drop(&mut self) {
        self.has_waited();
        self.connections.lock().count -= 1;
    }
}

impl WaitingConnection {
    fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

/// Answers for this site until the process ends.
pub fn serve(site: &Arc<impl Site>, listener: &TcpListener) {
    let connections = Arc::new(Mutex::new(Connections::default()));
    for stream in listener.incoming() {
        let Ok(mut stream) = stream else {
            // No more files may be open: some will be closed soon.
            thread::sleep(Duration::from_millis(20));
            continue;
        };
        let begun = Instant::now();
        while connections.lock().is_full() && begun.elapsed() < CLOSING {
            thread::sleep(PAUSE);
        }
        let Some((number, closed)) = connections.lock().enter(&stream) else {
            let _ = stream.shutdown(Shutdown::Both);
            continue;
        };
        let counted = CountedConnection { number, connections: Arc::clone(&connections) };
        let site = Arc::clone(site);
        // Without a thread the connection is closed.
        let _ = thread::Builder::new().stack_size(512 << 10).spawn(move || {
            let received = http::receive(&mut stream, &closed);
            counted.has_waited();
            answer(&*site, &mut stream, received);
            let _ = stream.shutdown(Shutdown::Both);
        });
    }
}

fn answer(site: &impl Site, stream: &mut TcpStream, received: Result<HttpRequest, Option<HttpResponse>>) {
    match received {
        Err(None) => {}
        Err(Some(refusal)) => http::refuse(stream, &refusal),
        Ok(request) => match site.guard().admit(&request) {
            Ok(()) => site.answer(stream, &request),
            Err(reason) => http::refuse(stream, &HttpResponse::refusal(403, reason)),
        },
    }
}

impl Connections {
    /// Whether a connection must end before another one is accepted.
    fn is_full(&self) -> bool {
        self.count >= 2 * CONNECTIONS
    }

    /// Counts a connection in; `None` if there are too many that are being answered.
    fn enter(&mut self, stream: &TcpStream) -> Option<(u64, Arc<AtomicBool>)> {
        if self.count >= CONNECTIONS {
            self.waiting.pop_front()?.close();
            // Its thread ends in a moment; a few more than the bound may live until then.
            if self.is_full() {
                return None;
            }
        }
        let (stream, closed) = (stream.try_clone().ok()?, Arc::new(AtomicBool::new(false)));
        self.count += 1;
        self.next += 1;
        self.waiting.push_back(WaitingConnection { number: self.next, stream, closed: Arc::clone(&closed) });
        Some((self.next, closed))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    struct PanickingSite(Guard);

    impl Site for PanickingSite {
        fn guard(&self) -> &Guard {
            &self.0
        }

        fn answer(&self, stream: &mut TcpStream, request: &HttpRequest) {
            assert_ne!(request.path, "/panic");
            let _ = http::send(stream, &HttpResponse::ok("text/plain", "here"));
        }
    }

    #[test]
    fn a_panic_takes_no_place_from_other_connections() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let site = Arc::new(PanickingSite(Guard::new(address, None)));
        thread::spawn(move || serve(&site, &listener));
        let answer = |path: &str| {
            let mut stream = TcpStream::connect(address).unwrap();
            write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
            let mut answer = String::new();
            let _ = stream.read_to_string(&mut answer);
            answer
        };
        for _ in 0..=2 * CONNECTIONS {
            assert_eq!(answer("/panic"), "");
        }
        assert!(answer("/").ends_with("here"));
    }
}
