//! One request and one answer on a connection: as much of HTTP/1.1 as a page on this machine needs, and
//! every part of it bounded. The head is parsed by `httparse`.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The most bytes of a request's head.
const HEAD_BYTES: usize = 16 << 10;
/// The most headers of a request.
const HEADERS: usize = 64;
/// The most bytes of a request's body: records are shorter.
pub const BODY_BYTES: usize = 2 << 20;
/// How long a request may take to come in whole, and an answer to go out.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// How often a reader without input checks whether the connection is closed.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// How long the rest of a refused request is thrown away, so that its sender reads the answer.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(200);

/// A request that came in whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpRequest {
    /// `GET` or `POST`.
    pub method: String,
    /// The part before the question mark, as it was sent.
    pub path: String,
    /// The part behind it.
    pub query: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// At most [`BODY_BYTES`].
    pub body: Vec<u8>,
}

impl HttpRequest {
    /// The value of a header, by its name in lower case. `None` if it is there twice with different values.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values =
            self.headers.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let first = values.next()?;
        values.all(|other| other == first).then_some(first)
    }

    /// Whether the header is there at all.
    pub fn has(&self, name: &str) -> bool {
        self.headers.iter().any(|(known, _)| known == name)
    }

    /// The value of a parameter; without percent signs, which none of ours has.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.query
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    }
}

/// A response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpResponse {
    /// A number of HTTP.
    pub status: u16,
    /// Content type of the body.
    pub kind: &'static str,
    /// The name under which a browser saves it; none is shown instead.
    pub file: Option<String>,
    /// The body.
    pub body: Vec<u8>,
}

impl HttpResponse {
    /// An answer that is there.
    pub fn ok(kind: &'static str, body: impl Into<Vec<u8>>) -> HttpResponse {
        HttpResponse { status: 200, kind, file: None, body: body.into() }
    }

    /// A refusal with its reason.
    pub fn refusal(status: u16, reason: &str) -> HttpResponse {
        let body = serde_json::json!({ "code": "bad-request", "text": reason }).to_string();
        HttpResponse { status, kind: "application/json", file: None, body: body.into_bytes() }
    }
}

/// Headers of every answer: pages load, frame and send nothing of other sites.
const ALWAYS: &str = "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
    X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n\
    Cross-Origin-Opener-Policy: same-origin\r\nCache-Control: no-store\r\n";

fn word(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        411 => "Length Required",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        422 => "Unprocessable Content",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Error",
    }
}

/// Reads from a connection until a time is reached, or another thread closes it.
struct Until<'a> {
    stream: &'a mut TcpStream,
    closed: &'a AtomicBool,
    deadline: Instant,
}

impl Read for Until<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            let left = self.deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            self.stream.set_read_timeout(Some(left.min(POLL_INTERVAL)))?;
            match self.stream.read(bytes) {
                Err(error) if is_timeout(&error) => {
                    if self.closed.load(Ordering::Relaxed) {
                        return Ok(0);
                    }
                }
                result => return result,
            }
        }
    }
}

/// Whether a read timeout was reached; which kind it is depends on the system.
fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock)
}

/// The request that comes in, or the refusal that goes back; `None` if the client is gone, or `closed` is set.
pub fn receive(stream: &mut TcpStream, closed: &AtomicBool) -> Result<HttpRequest, Option<HttpResponse>> {
    read(&mut Until { deadline: Instant::now() + REQUEST_TIMEOUT, closed, stream })
}

pub fn read(input: &mut impl Read) -> Result<HttpRequest, Option<HttpResponse>> {
    let mut bytes = Vec::with_capacity(2048);
    let (mut request, head, length) = loop {
        if let Some(parsed) = parse(&bytes)? {
            break parsed;
        }
        if bytes.len() >= HEAD_BYTES {
            return Err(Some(HttpResponse::refusal(431, "the head of the request is too long")));
        }
        more(input, &mut bytes, HEAD_BYTES)?;
    };
    if length > BODY_BYTES {
        return Err(Some(HttpResponse::refusal(
            413,
            &format!("a body has at most {BODY_BYTES} bytes, not {length}"),
        )));
    }
    let mut body = bytes.split_off(head);
    while body.len() < length {
        more(input, &mut body, length)?;
    }
    body.truncate(length);
    request.body = body;
    Ok(request)
}

/// Takes in what has come, until there are `most` bytes.
fn more(input: &mut impl Read, bytes: &mut Vec<u8>, most: usize) -> Result<(), Option<HttpResponse>> {
    let mut chunk = [0; 8192];
    let room = (most - bytes.len()).min(chunk.len());
    match input.read(&mut chunk[..room]) {
        Ok(0) => Err(None),
        Ok(count) => {
            bytes.extend_from_slice(&chunk[..count]);
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
        Err(error) if is_timeout(&error) => {
            Err(Some(HttpResponse::refusal(408, "the request took too long to come in")))
        }
        Err(_) => Err(None),
    }
}

/// The head, its length and that of the body, once the head is whole.
fn parse(bytes: &[u8]) -> Result<Option<(HttpRequest, usize, usize)>, Option<HttpResponse>> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    let refuse = |status, reason: &str| Err(Some(HttpResponse::refusal(status, reason)));
    let head = match parsed.parse(bytes) {
        Ok(httparse::Status::Complete(head)) => head,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return refuse(431, "the request has too many headers"),
        Err(error) => return refuse(400, &format!("this is no request of HTTP/1.1: {error}")),
    };
    let target = parsed.path.unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut request = HttpRequest {
        method: parsed.method.unwrap_or_default().to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
        ..HttpRequest::default()
    };
    for header in parsed.headers.iter() {
        let value = String::from_utf8_lossy(header.value).trim().to_owned();
        request.headers.push((header.name.to_ascii_lowercase(), value));
    }
    if !matches!(request.method.as_str(), "GET" | "POST") {
        return refuse(405, "only GET and POST are answered");
    }
    if request.has("transfer-encoding") {
        return refuse(411, "a body needs a Content-Length");
    }
    let length = match request.header("content-length") {
        Some(text) => match text.parse::<usize>() {
            Ok(length) => length,
            Err(_) => return refuse(400, "the length of the body is no number"),
        },
        None if request.has("content-length") => return refuse(400, "the body has two lengths"),
        None => 0,
    };
    Ok(Some((request, head, length)))
}

/// Sends an answer; the connection ends with it.
///
/// # Errors
/// If the other side does not take it.
pub fn send(stream: &mut TcpStream, response: &HttpResponse) -> io::Result<()> {
    let mut head = format!(
        "HTTP/1.1 {} {}\r\nContent-Type: {}\r\n",
        response.status,
        word(response.status),
        response.kind
    );
    if let Some(file) = &response.file {
        head += &format!("Content-Disposition: attachment; filename=\"{file}\"\r\n");
    }
    head += &format!("Content-Length: {}\r\nConnection: close\r\n{ALWAYS}\r\n", response.body.len());
    stream.set_write_timeout(Some(REQUEST_TIMEOUT))?;
    stream.write_all(head.as_bytes())?;
    stream.write_all(&response.body)?;
    stream.flush()
}

/// Sends a refusal of a request that did not arrive completely. Further bytes are discarded for a moment: closing a
/// connection with unread bytes resets it, and the refusal is lost.
pub fn refuse(stream: &mut TcpStream, response: &HttpResponse) {
    if send(stream, response).is_err() || stream.shutdown(std::net::Shutdown::Write).is_err() {
        return;
    }
    let closed = AtomicBool::new(false);
    let mut rest = Until { deadline: Instant::now() + DRAIN_TIMEOUT, closed: &closed, stream };
    let mut thrown = [0; 8192];
    while rest.read(&mut thrown).is_ok_and(|count| count > 0) {}
}

/// Begins an answer that goes on as events happen.
///
/// # Errors
/// If the other side does not take it.
pub fn begin_events(stream: &mut TcpStream) -> io::Result<()> {
    stream.set_write_timeout(Some(REQUEST_TIMEOUT))?;
    stream.set_nodelay(true)?;
    let head =
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n{ALWAYS}\r\n");
    stream.write_all(head.as_bytes())
}

/// Sends one event; its data has no line breaks.
///
/// # Errors
/// If the other side does not take it.
pub fn send_event(stream: &mut TcpStream, name: &str, data: &str) -> io::Result<()> {
    stream.write_all(format!("event: {name}\ndata: {data}\n\n").as_bytes())
}

/// Whether the other side has closed a connection that has nothing more to say.
pub fn is_closed(stream: &TcpStream) -> bool {
    if stream.set_read_timeout(Some(Duration::from_millis(1))).is_err() {
        return true;
    }
    match stream.peek(&mut [0]) {
        Ok(count) => count == 0,
        Err(error) => !is_timeout(&error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(text: &str) -> Option<u16> {
        match read(&mut text.as_bytes()) {
            Ok(_) => Some(200),
            Err(response) => response.map(|response| response.status),
        }
    }

    #[test]
    fn a_request_is_taken_apart() {
        let text = "POST /api/open?token=a&x=1 HTTP/1.1\r\nHost: b\r\nContent-Length: 2\r\n\r\n{}more";
        let request = read(&mut text.as_bytes()).unwrap();
        assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/api/open"));
        assert_eq!((request.header("host"), request.parameter("x")), (Some("b"), Some("1")));
        assert_eq!(request.body, b"{}");
    }

    #[test]
    fn what_is_no_request_or_too_large_is_refused() {
        assert_eq!(status("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), Some(200));
        assert_eq!(status("nonsense\r\n\r\n"), Some(400));
        assert_eq!(status("PUT / HTTP/1.1\r\n\r\n"), Some(405));
        assert_eq!(status("POST / HTTP/1.1\r\nContent-Length: 10000000\r\n\r\n"), Some(413));
        assert_eq!(status("POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n"), Some(400));
        assert_eq!(status("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"), Some(400));
        assert_eq!(status("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"), Some(411));
        assert_eq!(status(&format!("GET / HTTP/1.1\r\nA: {}", "b".repeat(HEAD_BYTES))), Some(431));
        assert_eq!(status("GET / HTTP/1.1\r\n"), None);
    }

    #[test]
    fn headers_that_contradict_each_other_have_no_value() {
        let text = "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n";
        let request = read(&mut text.as_bytes()).unwrap();
        assert_eq!((request.header("host"), request.has("host")), (None, true));
    }
}
