//! Access control: only pages of this program on this machine are answered.
//!
//! A page of another site can make a browser send requests here, and its host name can be made to point
//! at this machine (DNS rebinding). Both show: in `Origin`, and in `Host`.

use std::net::{IpAddr, SocketAddr};

use super::http::HttpRequest;

/// The rule for one address.
#[derive(Clone, Debug)]
pub struct Guard {
    address: SocketAddr,
    token: Option<String>,
}

impl Guard {
    /// Answers at `address`; only with this token, if there is one.
    pub fn new(address: SocketAddr, token: Option<String>) -> Guard {
        Guard { address, token }
    }

    /// Whether the request may be answered.
    ///
    /// # Errors
    /// Why not.
    pub(crate) fn admit(&self, request: &HttpRequest) -> Result<(), &'static str> {
        let host = request.header("host").ok_or("the request names no host, or two")?;
        if !self.knows(host) {
            return Err("the host of the request is not this program");
        }
        if request.has("origin") && request.header("origin") != Some(format!("http://{host}").as_str()) {
            return Err("the request comes from another site");
        }
        if request.header("sec-fetch-site").is_some_and(|site| !matches!(site, "same-origin" | "none")) {
            return Err("the request comes from another site");
        }
        match &self.token {
            Some(token)
                if needs_token(&request.path)
                    && !request.parameter("token").is_some_and(|given| same(given, token)) =>
            {
                Err("the link lacks its token")
            }
            _ => Ok(()),
        }
    }

    /// Whether `host` is a number of ours: a name could be made to point here, a number cannot.
    fn knows(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
            _ => (host, Some(80)),
        };
        let number = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        let own = match number {
            Ok(ip) if self.address.ip().is_loopback() => ip.is_loopback(),
            Ok(_) => true,
            Err(_) => name == "localhost",
        };
        own && port == Some(self.address.port())
    }
}

/// Scripts and styles are the same for everybody.
fn needs_token(path: &str) -> bool {
    path == "/" || path.starts_with("/api/")
}

/// Compares without showing by its time where the first difference is.
fn same(given: &str, token: &str) -> bool {
    let differences = given.bytes().zip(token.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
    given.len() == token.len() && differences == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(path: &str, headers: &[(&str, &str)]) -> HttpRequest {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let headers = headers.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        HttpRequest {
            method: "GET".into(),
            path: path.into(),
            query: query.into(),
            headers,
            body: Vec::new(),
        }
    }

    #[test]
    fn only_this_machine_and_this_page_are_answered() {
        let guard = Guard::new("127.0.0.1:4390".parse().unwrap(), None);
        let admits = |headers: &[(&str, &str)]| guard.admit(&request("/api/open", headers)).is_ok();
        assert!(admits(&[("host", "127.0.0.1:4390")]));
        assert!(admits(&[("host", "localhost:4390"), ("origin", "http://localhost:4390")]));
        assert!(admits(&[("host", "127.0.0.1:4390"), ("sec-fetch-site", "same-origin")]));
        for foreign in [
            "evil.example:4390",
            "127.0.0.1:80",
            "127.0.0.1",
            "10.0.0.1:4390",
            "127.0.0.1.evil.example:4390",
            "",
        ] {
            assert!(!admits(&[("host", foreign)]), "{foreign}");
        }
        assert!(!admits(&[]));
        for foreign in ["http://evil.example", "null", "https://127.0.0.1:4390", "http://127.0.0.1:4391"] {
            assert!(!admits(&[("host", "127.0.0.1:4390"), ("origin", foreign)]), "{foreign}");
        }
        assert!(!admits(&[("host", "127.0.0.1:4390"), ("sec-fetch-site", "cross-site")]));
    }

    #[test]
    fn other_addresses_want_the_token_of_the_link() {
        let guard = Guard::new("0.0.0.0:4390".parse().unwrap(), Some("secret".into()));
        let admits = |path: &str| guard.admit(&request(path, &[("host", "192.168.1.5:4390")])).is_ok();
        assert!(admits("/?token=secret") && admits("/style.css"));
        assert!(!admits("/") && !admits("/?token=secre") && !admits("/api/open?token=secrex"));
        assert!(guard.admit(&request("/?token=secret", &[("host", "evil.example:4390")])).is_err());
    }
}
