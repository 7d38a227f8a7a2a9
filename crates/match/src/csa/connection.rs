//! One connection to a server: whole lines in and out, of bounded length, and a sign of life in between.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use parking_lot::Mutex;
use thiserror::Error;

use super::message::ServerMessage;
use kaeshi_records::text::shown;

/// Longest line that is taken, in bytes.
pub const LINE_LIMIT: u64 = 8 << 10;
/// Lines that may wait unread; beyond it the server has to wait.
const PENDING: usize = 1024;
/// Time for a connection.
const CONNECT: Duration = Duration::from_secs(15);
/// Time for a server that takes nothing.
const SEND: Duration = Duration::from_secs(10);
/// How often a reader without input checks whether this side has closed the connection: a shutdown does not wake it on
/// Windows.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Signs of life that a server which has answered such may leave unanswered.
const UNANSWERED: u32 = 2;

/// Why no line comes.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ConnectionLost {
    /// Nothing came in time.
    #[error("the server does not answer")]
    Timeout,
    /// The connection is over.
    #[error("{0}")]
    Closed(String),
}

/// A line of the server.
#[derive(Clone, Debug)]
pub struct ServerLine {
    /// When its end arrived.
    pub stamp: Instant,
    /// Without the line end; bytes that are not UTF-8 are replaced.
    pub text: String,
}

/// What passed over the line, for the sign of life.
struct Life {
    sent: Instant,
    /// Whether the server has answered an empty line by one.
    answers: bool,
    unanswered: u32,
    silent: bool,
}

/// A connection; it ends with this.
pub struct Connection {
    stream: ClosableStream,
    writer: Arc<Mutex<TcpStream>>,
    lines: Receiver<Result<ServerLine, String>>,
    /// A line that came after the deadline of the call that read it.
    late: Mutex<Option<ServerLine>>,
    life: Arc<Mutex<Life>>,
    alarm: Arc<AtomicBool>,
    /// Says nothing; the sign of life ends when it is dropped.
    _ending: Sender<()>,
}

impl Connection {
    /// Connects; an empty line is sent after so long without another one, unless that is zero.
    ///
    /// # Errors
    /// The system's, for the last of the host's addresses.
    pub fn open(host: &str, port: u16, keep_alive: Duration) -> std::io::Result<Connection> {
        let mut refused = std::io::Error::new(std::io::ErrorKind::NotFound, "the host has no address");
        for address in (host, port).to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, CONNECT) {
                Ok(stream) => return Connection::over(stream, keep_alive),
                Err(error) => refused = error,
            }
        }
        Err(refused)
    }

    fn over(stream: TcpStream, keep_alive: Duration) -> std::io::Result<Connection> {
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(SEND))?;
        stream.set_read_timeout(Some(POLL_INTERVAL))?;
        let (sender, lines) = bounded(PENDING);
        let (ending, ended) = bounded(0);
        let alarm = Arc::new(AtomicBool::new(false));
        let life = Life { sent: Instant::now(), answers: false, unanswered: 0, silent: false };
        let life = Arc::new(Mutex::new(life));
        let writer = Arc::new(Mutex::new(stream.try_clone()?));
        let stream = ClosableStream { stream, closed: Arc::default() };
        let input = stream.try_clone()?;
        let (alarmed, living) = (Arc::clone(&alarm), Arc::clone(&life));
        thread::Builder::new()
            .name("csa-in".into())
            .spawn(move || read(input, &sender, &alarmed, &living))?;
        if !keep_alive.is_zero() {
            let (writer, life, stream) = (Arc::clone(&writer), Arc::clone(&life), stream.try_clone()?);
            thread::Builder::new().name("csa-life".into()).spawn(move || {
                live(&writer, &life, keep_alive, &ended);
                stream.close();
            })?;
        }
        Ok(Connection { stream, writer, lines, late: Mutex::default(), life, alarm, _ending: ending })
    }

    /// Raised when the server says how a game ends, and when the connection is over.
    pub fn alarm(&self) -> &Arc<AtomicBool> {
        &self.alarm
    }

    /// Sends one line.
    ///
    /// # Errors
    /// [`ConnectionLost::Closed`].
    pub fn send(&self, line: &str) -> Result<(), ConnectionLost> {
        log::debug!("csa > {line}");
        self.send_secret(line)
    }

    /// The same without a trace in the log.
    ///
    /// # Errors
    /// [`ConnectionLost::Closed`].
    pub fn send_secret(&self, line: &str) -> Result<(), ConnectionLost> {
        let sent = write(&self.writer, line);
        self.life.lock().sent = Instant::now();
        sent.map_err(|error| ConnectionLost::Closed(error.to_string()))
    }

    /// The next line that arrives by `deadline`. A later one is kept for the next call: otherwise a server that never
    /// stops writing would never miss a deadline.
    ///
    /// # Errors
    /// None came until `deadline`, or the connection is over.
    pub fn receive(&self, deadline: Instant) -> Result<ServerLine, ConnectionLost> {
        let late = self.late.lock().take();
        let line = match late {
            Some(line) => line,
            None => self.next_line(deadline)?,
        };
        if line.stamp > deadline {
            *self.late.lock() = Some(line);
            return Err(ConnectionLost::Timeout);
        }
        Ok(line)
    }

    fn next_line(&self, deadline: Instant) -> Result<ServerLine, ConnectionLost> {
        match self.lines.recv_deadline(deadline) {
            Ok(Ok(heard)) => Ok(heard),
            Ok(Err(why)) => Err(ConnectionLost::Closed(why)),
            Err(RecvTimeoutError::Timeout) => Err(ConnectionLost::Timeout),
            Err(RecvTimeoutError::Disconnected) => {
                Err(ConnectionLost::Closed("the connection is over".into()))
            }
        }
    }
}

/// A stream that several threads use, until either side closes it.
struct ClosableStream {
    stream: TcpStream,
    /// Whether this side has closed it.
    closed: Arc<AtomicBool>,
}

impl ClosableStream {
    fn try_clone(&self) -> std::io::Result<ClosableStream> {
        Ok(ClosableStream { stream: self.stream.try_clone()?, closed: Arc::clone(&self.closed) })
    }

    /// Both sides hear that the connection is over.
    fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

impl Read for ClosableStream {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        loop {
            match self.stream.read(buffer) {
                // What a socket answers at the end of its read timeout depends on the system.
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    if self.closed.load(Ordering::Relaxed) {
                        return Ok(0);
                    }
                }
                result => return result,
            }
        }
    }
}

/// Closes a connection that other threads use.
#[derive(Clone, Default)]
pub struct DisconnectHandle(Arc<Mutex<Option<ClosableStream>>>);

impl DisconnectHandle {
    /// From now on it is that of this connection.
    pub fn is(&self, connection: &Connection) {
        *self.0.lock() = connection.stream.try_clone().ok();
    }

    /// Closes the connection, if there is one: both sides hear that it is over.
    pub fn hang_up(&self) {
        if let Some(stream) = &*self.0.lock() {
            stream.close();
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.stream.close();
    }
}

fn write(writer: &Mutex<TcpStream>, line: &str) -> std::io::Result<()> {
    // One piece, so that no packet ends inside the line.
    writer.lock().write_all(format!("{line}\n").as_bytes())
}

/// Reads lines until the connection is over; a last piece without a line end is no line.
fn read(
    input: ClosableStream,
    lines: &Sender<Result<ServerLine, String>>,
    alarm: &AtomicBool,
    life: &Mutex<Life>,
) {
    let mut reader = BufReader::new(input);
    let why = loop {
        let mut line = Vec::new();
        match reader.by_ref().take(LINE_LIMIT).read_until(b'\n', &mut line) {
            Ok(_) if line.last() == Some(&b'\n') => {}
            Ok(length) if length as u64 == LINE_LIMIT => {
                break format!("the server sent a line of more than {LINE_LIMIT} bytes");
            }
            Ok(_) if life.lock().silent => break "the server no longer answers".to_owned(),
            Ok(_) => break "the server closed the connection".to_owned(),
            Err(error) => break error.to_string(),
        }
        let stamp = Instant::now();
        let text = String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']).to_owned();
        log::debug!("csa < {}", shown(&text));
        {
            let mut life = life.lock();
            life.answers |= text.is_empty() && life.unanswered > 0;
            life.unanswered = 0;
        }
        if matches!(ServerMessage::read(&text), Ok(ServerMessage::Cause(_) | ServerMessage::Result(_))) {
            alarm.store(true, Ordering::Relaxed);
        }
        if lines.send(Ok(ServerLine { stamp, text })).is_err() {
            return;
        }
    };
    alarm.store(true, Ordering::Relaxed);
    let _ = lines.send(Err(why));
}

/// Sends an empty line after every `interval` without another one. A server that has answered such lines and
/// then does not is gone, although the connection was not closed. Ends with the connection.
fn live(writer: &Mutex<TcpStream>, life: &Mutex<Life>, interval: Duration, ended: &Receiver<()>) {
    loop {
        let due = life.lock().sent + interval;
        match ended.recv_deadline(due) {
            Err(RecvTimeoutError::Timeout) => {}
            _ => return,
        }
        {
            let mut life = life.lock();
            if life.sent + interval > Instant::now() {
                continue;
            }
            if life.answers && life.unanswered >= UNANSWERED {
                life.silent = true;
                return;
            }
            life.unanswered += 1;
            life.sent = Instant::now();
        }
        if write(writer, "").is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    fn pair(keep_alive: Duration) -> (Connection, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let connection = Connection::open("127.0.0.1", port, keep_alive).unwrap();
        (connection, listener.accept().unwrap().0)
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(20)
    }

    #[test]
    fn lines_are_whole_and_an_end_raises_the_alarm() {
        let (connection, mut server) = pair(Duration::ZERO);
        server.write_all(b"START:x\r\n##[CHAT] x\n\xff\n").unwrap();
        for wanted in ["START:x", "##[CHAT] x", "\u{fffd}"] {
            assert_eq!(connection.receive(soon()).unwrap().text, wanted);
        }
        assert!(!connection.alarm().load(Ordering::Relaxed));
        server.write_all(b"#CHUDAN\n+7776FU,T1").unwrap();
        assert_eq!(connection.receive(soon()).unwrap().text, "#CHUDAN");
        assert!(connection.alarm().load(Ordering::Relaxed));
        let none = connection.receive(Instant::now() + Duration::from_millis(20));
        assert_eq!(none.unwrap_err(), ConnectionLost::Timeout);
        drop(server);
        let end = connection.receive(soon()).unwrap_err();
        assert_eq!(end, ConnectionLost::Closed("the server closed the connection".into()));
    }

    #[test]
    fn a_connection_that_another_thread_closes_is_over() {
        let (connection, server) = pair(Duration::ZERO);
        let handle = DisconnectHandle::default();
        handle.is(&connection);
        handle.hang_up();
        let end = connection.receive(soon()).unwrap_err();
        assert!(matches!(end, ConnectionLost::Closed(_)), "{end}");
        assert_eq!((&server).read(&mut [0]).unwrap(), 0);
    }

    #[test]
    fn a_deadline_holds_however_much_a_server_writes() {
        let missed = Instant::now();
        let (connection, mut server) = pair(Duration::ZERO);
        server.write_all("##[CHAT] x\n".repeat(2 * PENDING).as_bytes()).unwrap();
        assert_eq!(connection.receive(soon()).unwrap().text, "##[CHAT] x");
        for _ in 0..3 {
            assert_eq!(connection.receive(missed).unwrap_err(), ConnectionLost::Timeout);
        }
        for _ in 1..2 * PENDING {
            assert_eq!(connection.receive(soon()).unwrap().text, "##[CHAT] x");
        }
        let none = connection.receive(Instant::now() + Duration::from_millis(20));
        assert_eq!(none.unwrap_err(), ConnectionLost::Timeout, "no line was lost or doubled");
    }

    #[test]
    fn a_line_without_an_end_ends_the_connection() {
        let (connection, mut server) = pair(Duration::ZERO);
        server.write_all(&vec![b'x'; LINE_LIMIT as usize + 1]).unwrap();
        let end = connection.receive(soon()).unwrap_err().to_string();
        assert!(end.contains("more than 8192 bytes"), "{end}");
    }

    #[test]
    fn signs_of_life_are_sent_and_their_answers_missed() {
        let (connection, server) = pair(Duration::from_millis(30));
        let mut reader = BufReader::new(server.try_clone().unwrap());
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        assert_eq!(line, "\n");
        (&server).write_all(b"\n").unwrap();
        assert_eq!(connection.receive(soon()).unwrap().text, "");
        let end = connection.receive(soon()).unwrap_err();
        assert_eq!(end, ConnectionLost::Closed("the server no longer answers".into()));
    }
}
