//! The address of a page, and the browser that opens it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, UdpSocket};
use std::process::{Command, Stdio};

use anyhow::Context;

/// Listens at `port`; if none is asked for at the usual one, or at any other if that is taken.
///
/// # Errors
/// The system refuses.
pub fn bind(ip: IpAddr, port: Option<u16>, usual: u16) -> anyhow::Result<TcpListener> {
    let bind = |port| TcpListener::bind(SocketAddr::new(ip, port));
    match port {
        Some(port) => bind(port).with_context(|| format!("cannot listen on {ip} port {port}")),
        None => bind(usual).or_else(|_| bind(0)).with_context(|| format!("cannot listen on {ip}")),
    }
}

/// The address under which other machines reach a program that listens at `address`: where that is every address of
/// this machine, the one that leads out of it; the loopback's if no network is there.
pub fn reachable(address: SocketAddr) -> SocketAddr {
    if !address.ip().is_unspecified() {
        return address;
    }
    // Addresses for documents (RFC 5737, RFC 3849): to connect a UDP socket sends nothing.
    let (any, outside, loopback): (_, _, IpAddr) = match address {
        SocketAddr::V4(_) => ("0.0.0.0:0", "192.0.2.1:9", Ipv4Addr::LOCALHOST.into()),
        SocketAddr::V6(_) => ("[::]:0", "[2001:db8::1]:9", Ipv6Addr::LOCALHOST.into()),
    };
    let own = UdpSocket::bind(any).and_then(|socket| {
        socket.connect(outside)?;
        socket.local_addr()
    });
    let ip = own.map(|own| own.ip()).ok().filter(|ip| !ip.is_unspecified());
    SocketAddr::new(ip.unwrap_or(loopback), address.port())
}

/// Opens the link in the browser of this desktop, if there is one.
pub fn open_browser(link: &str) -> bool {
    let programs: &[&[&str]] = if cfg!(target_os = "macos") {
        &[&["open"]]
    } else if cfg!(target_os = "windows") {
        &[&["rundll32", "url.dll,FileProtocolHandler"]]
    } else if std::env::var_os("DISPLAY").is_some() || std::env::var_os("WAYLAND_DISPLAY").is_some() {
        &[&["xdg-open"], &["gio", "open"]]
    } else {
        &[]
    };
    programs.iter().any(|words| {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).arg(link).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().is_ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_machines_are_given_an_address_that_they_reach() {
        for (listens, is_kept) in [("0.0.0.0:4390", false), ("[::]:4390", false), ("192.0.2.7:80", true)] {
            let listens: SocketAddr = listens.parse().unwrap();
            let given = reachable(listens);
            assert!(!given.ip().is_unspecified() && given.port() == listens.port(), "{given}");
            assert_eq!(given == listens, is_kept, "{given}");
        }
    }
}
