//! The server of the page: its files and, by connections of HTTP, the service.

use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::RecvTimeoutError;

use super::service::{Begin, PlayService, events_of};
use kaeshi_report::files;
use kaeshi_report::page_info::looks;
use kaeshi_report::web::http::{self, HttpRequest, HttpResponse};
use kaeshi_report::web::{Guard, Site};

/// How often a quiet connection is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The service behind a guard.
pub(super) struct PlayServer {
    guard: Guard,
    page: Vec<u8>,
    service: PlayService,
}

impl Site for PlayServer {
    fn guard(&self) -> &Guard {
        &self.guard
    }

    fn answer(&self, stream: &mut TcpStream, request: &HttpRequest) {
        if let Some(room) = events_of(request) {
            return self.events(stream, room);
        }
        let response = self.respond(request);
        if let Err(error) = http::send(stream, &response) {
            log::debug!("play: {} was not taken: {error}", request.path);
        }
    }
}

impl PlayServer {
    /// A server for these addresses.
    pub(super) fn new(guard: Guard, begin: Begin) -> Arc<PlayServer> {
        let page = files::play_page(&looks()).into_bytes();
        Arc::new(PlayServer { guard, page, service: PlayService::new(begin) })
    }

    /// Whether all tabs have been closed for `timeout`.
    pub(super) fn is_deserted(&self, timeout: Duration) -> bool {
        self.service.is_deserted(timeout)
    }

    fn respond(&self, request: &HttpRequest) -> HttpResponse {
        match (request.method.as_str(), request.path.as_str()) {
            ("GET", "/") => HttpResponse::ok("text/html; charset=utf-8", self.page.clone()),
            ("GET", path) if !path.starts_with("/api/") => match files::file(path) {
                Some((kind, text)) => HttpResponse::ok(kind, text),
                None => HttpResponse::refusal(404, "there is no such page"),
            },
            _ => self.service.respond(request),
        }
    }

    /// Sends a tab everything that happens in its room, until it goes away.
    fn events(&self, stream: &mut TcpStream, room: &str) {
        let listening = match self.service.listen(room) {
            Ok(listening) => listening,
            Err(refusal) => return http::refuse(stream, &refusal),
        };
        let mut goes_on = http::begin_events(stream).is_ok();
        while goes_on {
            goes_on = match listening.events.recv_timeout(POLL_INTERVAL) {
                Ok((name, data)) => http::send_event(stream, name, &data).is_ok(),
                Err(RecvTimeoutError::Timeout) => !http::is_closed(stream),
                Err(RecvTimeoutError::Disconnected) => false,
            };
        }
        self.service.leave(listening);
    }
}
