//! The address of a server: `postgres://` as psql reads it, with `PG*` variables and the password
//! file for missing parts, and the parameter `schema`, which is Ambit's own.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::{Client, Config};

use super::PostgresOptions;
use super::errors::failed;
use super::migrate::quoted;
use super::tls::{self, Mode};
use crate::{Error, Result};

/// The schema that holds the tables unless the address names another: `?schema=NAME`.
const SCHEMA: &str = "ambit";

/// The longest schema name: a server truncates longer ones.
const SCHEMA_CHARS_MAX: usize = 63;

const CONNECT_SECONDS: u64 = 10;

pub(super) struct Address {
    config: Config,
    mode: Mode,
    root: Option<PathBuf>,
    pub schema: String,
    wait_ms: u64,
    statement_ms: u64,
}

impl Address {
    pub fn parse(
        text: &str,
        env: &dyn Fn(&str) -> Option<String>,
        options: &PostgresOptions,
    ) -> Result<Address> {
        let env = |name: &str| env(name).filter(|value| !value.is_empty());
        let (plain, own) = take_own(text)?;
        let mut config = Config::from_str(&plain).map_err(|error| bad(source(&error)))?;
        fill(&mut config, &env)?;
        let schema = own.schema.unwrap_or_else(|| SCHEMA.to_string());
        check_schema(&schema)?;
        let mode = own.mode.or_else(|| env("PGSSLMODE"));
        let mode = Mode::parse(mode.as_deref().unwrap_or("prefer"))
            .ok_or_else(|| bad(format!("invalid sslmode {:?}", mode.unwrap_or_default())))?;
        let root = own.root.or_else(|| env("PGSSLROOTCERT")).map(PathBuf::from);
        let local = config.get_hosts().iter().all(|host| matches!(host, Host::Unix(_)));
        // As psql: a local socket needs no encryption.
        let mode = if local { Mode::Disable } else { mode };
        config.ssl_mode(match mode {
            Mode::Disable => SslMode::Disable,
            Mode::Allow | Mode::Prefer => SslMode::Prefer,
            Mode::Require | Mode::VerifyCa | Mode::VerifyFull => SslMode::Require,
        });
        let PostgresOptions { wait_ms, statement_ms, .. } = *options;
        Ok(Address { config, mode, root, schema, wait_ms, statement_ms })
    }

    /// Connects, and spawns the connection's task on the current runtime.
    pub async fn connect(&self) -> Result<Client> {
        let tls = tls::connector(self.mode, self.root.as_deref())?;
        let (client, connection) = self.config.connect(tls).await.map_err(failed)?;
        // The task ends with the client, which reports the same errors.
        tokio::spawn(async move { drop(connection.await) });
        Ok(client)
    }

    /// Returns the settings of every connection. Every statement is written to find its rows by an
    /// index: a plan made while a table was small must not scan it after it has grown.
    pub fn settings(&self) -> String {
        let Address { wait_ms, statement_ms, .. } = self;
        let schema = quoted(&self.schema);
        format!(
            "SET search_path TO {schema}; SET lock_timeout TO {wait_ms};
             SET statement_timeout TO {statement_ms};
             SET idle_in_transaction_session_timeout TO {statement_ms};
             SET synchronous_commit TO on; SET plan_cache_mode TO force_generic_plan;
             SET enable_seqscan TO off; SET enable_bitmapscan TO off;
             SET enable_hashjoin TO off; SET enable_mergejoin TO off;
             SET enable_material TO off; SET jit TO off;
             SET max_parallel_workers_per_gather TO 0"
        )
    }
}

/// The parameters of an address that the driver does not know.
#[derive(Default)]
struct Own {
    schema: Option<String>,
    mode: Option<String>,
    root: Option<String>,
}

/// Removes Ambit's own parameters from an address and returns them.
fn take_own(text: &str) -> Result<(String, Own)> {
    let (front, query) = text.split_once('?').unwrap_or((text, ""));
    let mut own = Own::default();
    let mut rest = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        match name {
            "schema" => own.schema = Some(decode(value)?),
            "sslmode" => own.mode = Some(decode(value)?),
            "sslrootcert" => own.root = Some(decode(value)?),
            _ => rest.push(pair),
        }
    }
    let query = if rest.is_empty() { String::new() } else { format!("?{}", rest.join("&")) };
    Ok((format!("{front}{query}"), own))
}

/// Decodes percent encoding: `%41` is `A`.
fn decode(text: &str) -> Result<String> {
    let mut out = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'%' => {
                let digits = [bytes.next(), bytes.next()].map(|it| char::from(it.unwrap_or(b'?')));
                let pair: String = digits.iter().collect();
                u8::from_str_radix(&pair, 16)
                    .map_err(|_| bad(format!("%{pair} is not a character")))?
            }
            byte => byte,
        });
    }
    String::from_utf8(out).map_err(|_| bad("it is not UTF-8".to_string()))
}

/// Fills in missing parts of the address from the environment, as psql does.
fn fill(config: &mut Config, env: &dyn Fn(&str) -> Option<String>) -> Result<()> {
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        let debian = Path::new("/var/run/postgresql");
        let usual = if debian.exists() { debian.display().to_string() } else { "localhost".into() };
        for host in env("PGHOST").unwrap_or(usual).split(',') {
            config.host(host);
        }
    }
    if config.get_ports().is_empty()
        && let Some(port) = env("PGPORT")
    {
        let number =
            port.parse().map_err(|_| bad(format!("PGPORT is {port:?}: expected a port")))?;
        config.port(number);
    }
    if config.get_user().is_none() {
        let user = ["PGUSER", "USER", "LOGNAME"].iter().find_map(|name| env(name));
        config.user(user.unwrap_or_else(|| "postgres".into()));
    }
    if config.get_dbname().is_none() {
        let name = env("PGDATABASE").or_else(|| config.get_user().map(str::to_string));
        config.dbname(name.unwrap_or_default());
    }
    if config.get_application_name().is_none() {
        config.application_name(env("PGAPPNAME").unwrap_or_else(|| "ambit".into()));
    }
    if config.get_options().is_none()
        && let Some(options) = env("PGOPTIONS")
    {
        config.options(options);
    }
    if config.get_connect_timeout().is_none() {
        let seconds = env("PGCONNECT_TIMEOUT").and_then(|it| it.parse().ok());
        config.connect_timeout(Duration::from_secs(seconds.unwrap_or(CONNECT_SECONDS)));
    }
    if config.get_password().is_none()
        && let Some(password) = env("PGPASSWORD").or_else(|| from_file(config, env))
    {
        config.password(password);
    }
    Ok(())
}

/// Returns the password for this server from `~/.pgpass` or PGPASSFILE. A file that others can read
/// is ignored, as psql does.
fn from_file(config: &Config, env: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let usual = || env("HOME").map(|home| format!("{home}/.pgpass"));
    let path = env("PGPASSFILE").or_else(usual)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&path).ok()?.permissions().mode();
        if mode & 0o077 != 0 {
            return None;
        }
    }
    let host = match config.get_hosts().first()? {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(_) => "localhost".to_string(),
    };
    let port = config.get_ports().first().copied().unwrap_or(5432).to_string();
    let wanted = [host.as_str(), &port, config.get_dbname()?, config.get_user()?];
    let text = std::fs::read_to_string(path).ok()?;
    let mut lines = text.lines().filter(|line| !line.starts_with('#')).map(fields);
    let fits = |fields: &Vec<String>| {
        fields.len() == 5 && wanted.iter().zip(fields).all(|(w, f)| f == "*" || f == w)
    };
    lines.find(fits).and_then(|mut fields| fields.pop())
}

/// Splits a line into fields at colons; a backslash escapes the next character.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        let last = fields.len() - 1;
        match c {
            ':' => fields.push(String::new()),
            '\\' => fields[last].extend(chars.next()),
            c => fields[last].push(c),
        }
    }
    fields
}

fn check_schema(name: &str) -> Result<()> {
    let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let good = !name.is_empty() && name.len() <= SCHEMA_CHARS_MAX && name.chars().all(word);
    if good && !name.starts_with(|c: char| c.is_ascii_digit()) && !name.starts_with("pg_") {
        return Ok(());
    }
    Err(bad(format!(
        "invalid schema name {name:?}: use a-z, 0-9 and _, and do not begin with pg_ or a digit"
    )))
}

/// Returns an address without its password, for display.
pub(super) fn shown(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else {
        return text.to_string();
    };
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(end);
    let authority = match authority.rsplit_once('@') {
        Some((user, host)) => {
            let user = user.split_once(':').map_or(user, |(user, _)| user);
            format!("{user}@{host}")
        }
        None => authority.to_string(),
    };
    let (path, query) = tail.split_once('?').unwrap_or((tail, ""));
    let open = query.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("password="));
    let query: Vec<_> = open.collect();
    let query = if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };
    format!("{scheme}://{authority}{path}{query}")
}

fn bad(why: String) -> Error {
    Error::Address { why }
}

fn source(error: &tokio_postgres::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str, variables: &[(&str, &str)]) -> Result<Address> {
        let env = |name: &str| {
            variables.iter().find(|(it, _)| *it == name).map(|(_, value)| value.to_string())
        };
        Address::parse(text, &env, &PostgresOptions::default())
    }

    #[test]
    fn an_address_says_more_than_the_environment() {
        let variables = [
            ("PGHOST", "elsewhere"),
            ("PGPORT", "6000"),
            ("PGUSER", "bob"),
            ("PGDATABASE", "work"),
            ("PGPASSWORD", "secret"),
            ("PGSSLMODE", "require"),
        ];
        let given = "postgres://ada:pw@db.example:5433/team?schema=notes&sslmode=verify-full";
        let it = address(given, &variables).ok().unwrap_or_else(|| panic!("it is read"));
        assert_eq!(it.config.get_hosts(), [Host::Tcp("db.example".into())]);
        assert_eq!((it.config.get_ports(), it.config.get_user()), (&[5433][..], Some("ada")));
        assert_eq!((it.schema.as_str(), it.mode), ("notes", Mode::VerifyFull));
        let it = address("postgres://", &variables).ok().unwrap_or_else(|| panic!("it is read"));
        assert_eq!(it.config.get_hosts(), [Host::Tcp("elsewhere".into())]);
        assert_eq!((it.config.get_ports(), it.config.get_dbname()), (&[6000][..], Some("work")));
        assert_eq!(it.config.get_password(), Some("secret".as_bytes()));
        assert_eq!((it.schema.as_str(), it.mode), ("ambit", Mode::Require));
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in [
            "postgres://h/d?sslmode=maybe",
            "postgres://h/d?schema=a%22b",
            "postgres://h/d?schema=pg_x",
            "postgres://h/d?nonsense=1",
            "postgres://h:port/d",
        ] {
            assert!(matches!(address(text, &[]), Err(Error::Address { .. })), "{text}");
        }
    }

    #[test]
    fn a_password_is_never_shown() {
        let table = [
            ("postgres://ada:pw@h:1/d?schema=x", "postgres://ada@h:1/d?schema=x"),
            ("postgres://ada:p%40w@h/d?password=pw", "postgres://ada@h/d"),
            ("postgres://h/d", "postgres://h/d"),
            ("postgres://ada:p@w@h", "postgres://ada@h"),
        ];
        for (address, expected) in table {
            assert_eq!(shown(address), expected);
        }
    }

    #[test]
    fn a_password_file_is_read_as_psql_does() {
        assert_eq!(fields(r"h:5432:d:u:a\:b\\c"), ["h", "5432", "d", "u", r"a:b\c"]);
    }
}
