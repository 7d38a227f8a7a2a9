//! Where the server is and who we are: a context file as the `nats` command line tool keeps them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context as _, anyhow, bail};
use async_nats::{Client, ConnectOptions};
use serde::Deserialize;

use kaeshi_core::files::{self, FileKind};

/// The default server.
const DEFAULT_SERVER: &str = "nats://127.0.0.1:4222";

/// How to reach the pool.
#[derive(Debug, clap::Args)]
pub struct Link {
    /// The NATS server, several divided by commas [default: $NATS_URL, then the context's]
    #[arg(long, global = true, value_name = "URL")]
    server: Option<String>,
    /// Server, TLS and credentials: a context file of the nats tool, or its name there [default: $NATS_CONTEXT]
    #[arg(long, global = true, value_name = "FILE")]
    context: Option<PathBuf>,
    /// Copies that a cluster of servers keeps of everything; counts when the pool is first used
    #[arg(long, global = true, default_value = "1", value_parser = clap::value_parser!(u8).range(1..=5))]
    pub replicas: u8,
}

/// A context file. Empty words are as good as none.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct NatsContext {
    url: String,
    token: String,
    user: String,
    password: String,
    creds: PathBuf,
    nkey: PathBuf,
    cert: PathBuf,
    key: PathBuf,
    ca: PathBuf,
    tls_first: bool,
    inbox_prefix: String,
    jetstream_domain: String,
    #[serde(flatten)]
    others: BTreeMap<String, serde_json::Value>,
}

/// Words of a context that change nothing here.
const HARMLESS: [&str; 3] = ["description", "color_scheme", "jetstream_event_prefix"];

impl NatsContext {
    fn parse(text: &str) -> anyhow::Result<NatsContext> {
        let context: NatsContext = serde_json::from_str(text)?;
        for (word, value) in &context.others {
            let says_nothing = matches!(value.as_str(), Some("")) || value.is_null() || *value == false;
            if !HARMLESS.contains(&word.as_str()) && !says_nothing {
                bail!("'{word}' of the context is not supported");
            }
        }
        if context.cert.as_os_str().is_empty() != context.key.as_os_str().is_empty() {
            bail!("a client certificate needs both 'cert' and 'key'");
        }
        Ok(context)
    }

    async fn options(&self) -> anyhow::Result<ConnectOptions> {
        let mut options = ConnectOptions::new().name("kaeshi");
        let present = |path: &PathBuf| !path.as_os_str().is_empty();
        if !self.token.is_empty() {
            options = options.token(self.token.clone());
        }
        if !self.user.is_empty() {
            options = options.user_and_password(self.user.clone(), self.password.clone());
        }
        if present(&self.creds) {
            let shown = self.creds.display();
            options = options
                .credentials_file(&self.creds)
                .await
                .with_context(|| format!("credentials {shown}"))?;
        }
        if present(&self.nkey) {
            let shown = self.nkey.display();
            let seed = files::read_text(&self.nkey, FileKind::SETTINGS)
                .with_context(|| format!("cannot read the nkey {shown}"))?;
            options = options.nkey(seed.trim().to_owned());
        }
        if present(&self.ca) {
            options = options.add_root_certificates(self.ca.clone()).require_tls(true);
        }
        if present(&self.cert) {
            options = options.add_client_certificate(self.cert.clone(), self.key.clone()).require_tls(true);
        }
        if self.tls_first {
            options = options.tls_first();
        }
        if !self.inbox_prefix.is_empty() {
            options = options.custom_inbox_prefix(&self.inbox_prefix);
        }
        Ok(options)
    }
}

impl Link {
    fn load(&self) -> anyhow::Result<NatsContext> {
        let said = self.context.clone().or_else(|| std::env::var_os("NATS_CONTEXT").map(PathBuf::from));
        let Some(path) = said else { return Ok(NatsContext::default()) };
        let named = || {
            let home = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
            let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".config")))?;
            Some(home.join("nats/context").join(&path).with_extension("json"))
        };
        let path = if path.is_file() { path.clone() } else { named().unwrap_or_else(|| path.clone()) };
        let shown = path.display();
        let text = files::read_text(&path, FileKind::SETTINGS)
            .with_context(|| format!("cannot read the context {shown}"))?;
        NatsContext::parse(&text).with_context(|| format!("in {shown}"))
    }

    /// Connects; the second value is the JetStream domain, if it is not the server's own.
    ///
    /// # Errors
    /// A wrong context, or a server that does not answer or refuses us.
    pub async fn connect(&self) -> anyhow::Result<(Client, Option<String>)> {
        let context = self.load()?;
        let named = [self.server.clone(), std::env::var("NATS_URL").ok(), Some(context.url.clone())];
        let server = named.into_iter().flatten().find(|server| !server.trim().is_empty());
        let server = server.unwrap_or_else(|| DEFAULT_SERVER.to_owned());
        let addresses: Vec<&str> = server.split(',').map(str::trim).collect();
        let client = context
            .options()
            .await?
            .connect(addresses)
            .await
            // The message names its own source.
            .map_err(|error| {
                anyhow!("cannot reach the NATS server {}: {error}", without_password(&server))
            })?;
        let domain = Some(context.jetstream_domain).filter(|domain| !domain.is_empty());
        Ok((client, domain))
    }
}

/// The addresses of servers without the users and passwords in them, for messages.
fn without_password(servers: &str) -> String {
    let shown: Vec<String> = servers
        .split(',')
        .map(|server| match (server.split_once("://"), server.rsplit_once('@')) {
            (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
            (None, Some((_, host))) => host.to_owned(),
            (_, None) => server.to_owned(),
        })
        .collect();
    shown.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_no_password() {
        for (servers, shown) in [
            ("nats://desk:4222", "nats://desk:4222"),
            ("nats://me:secret@desk:4222,tls://a:b@c@other", "nats://desk:4222,tls://other"),
            ("token@desk", "desk"),
        ] {
            assert_eq!(without_password(servers), shown);
        }
    }

    #[test]
    fn a_context_of_the_nats_tool_is_understood() {
        let context = NatsContext::parse(
            r#"{"description":"the pool","url":"tls://a:4222","creds":"/etc/pool.creds","ca":"/etc/ca.pem",
                "socks_proxy":"","user_jwt":"","tls_first":true,"jetstream_domain":"hub"}"#,
        )
        .unwrap();
        assert_eq!(context.creds, PathBuf::from("/etc/pool.creds"));
        assert!(context.tls_first);
        assert_eq!((&*context.url, &*context.jetstream_domain), ("tls://a:4222", "hub"));
    }

    #[test]
    fn what_would_be_ignored_is_refused() {
        let proxy = NatsContext::parse(r#"{"url":"a","socks_proxy":"socks5://b"}"#).unwrap_err().to_string();
        assert!(proxy.contains("socks_proxy"), "{proxy}");
        let half = NatsContext::parse(r#"{"cert":"/a.pem"}"#).unwrap_err().to_string();
        assert!(half.contains("key"), "{half}");
    }
}
