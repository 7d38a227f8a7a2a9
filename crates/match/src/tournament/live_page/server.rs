//! What the page asks for.

use std::net::TcpStream;

use parking_lot::Mutex;

use super::LiveSource;
use super::watch::LiveWatch;
use crate::tournament::report::html::live::page;
use kaeshi_report::files;
use kaeshi_report::page_info::looks;
use kaeshi_report::web::http::{self, HttpRequest, HttpResponse};
use kaeshi_report::web::{Guard, Site};

/// A match or a tuning that is shown.
pub(super) struct Live {
    guard: Guard,
    page: String,
    watch: Mutex<LiveWatch>,
}

impl Live {
    /// This, for those whom the guard admits.
    pub(super) fn new(guard: Guard, source: Box<dyn LiveSource>) -> Live {
        let page = page(&looks());
        Live { guard, page, watch: Mutex::new(LiveWatch::new(source)) }
    }

    /// Whether a page is open that has not heard of the end.
    pub(super) fn is_awaited(&self) -> bool {
        self.watch.lock().is_awaited()
    }

    fn respond(&self, request: &HttpRequest) -> HttpResponse {
        match (request.method.as_str(), request.path.as_str()) {
            ("GET", "/") => HttpResponse::ok("text/html; charset=utf-8", self.page.clone()),
            ("GET", "/api/now") => {
                let version = request.parameter("have").and_then(|number| number.parse().ok()).unwrap_or(0);
                let body = serde_json::to_vec(&self.watch.lock().now(version)).unwrap_or_default();
                HttpResponse::ok("application/json", body)
            }
            ("GET", path) => match files::file(path) {
                Some((kind, text)) => HttpResponse::ok(kind, text),
                None => HttpResponse::refusal(404, "there is no such page"),
            },
            _ => HttpResponse::refusal(405, "only GET is answered"),
        }
    }
}

impl Site for Live {
    fn guard(&self) -> &Guard {
        &self.guard
    }

    fn answer(&self, stream: &mut TcpStream, request: &HttpRequest) {
        if let Err(error) = http::send(stream, &self.respond(request)) {
            log::debug!("live: {} was not taken: {error}", request.path);
        }
    }
}
