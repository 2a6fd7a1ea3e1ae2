//! TLS with psql's modes. A proxy accepts TLS with certificates made for the test, and forwards
//! everything to the tests' server.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use ambit_store::{Postgres, PostgresOptions, Store};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio_rustls::TlsAcceptor;

use crate::postgres_lost::socket;
use crate::server::fresh_schema;

/// The first message of a client that asks for TLS.
const TLS_WANTED: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

/// A certificate authority, and the path of its root certificate.
struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    root: PathBuf,
}

impl Authority {
    fn new(folder: &TempDir, name: &str) -> Authority {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let root = folder.path().join(name);
        std::fs::write(&root, issuer.pem()).unwrap();
        Authority { issuer, root }
    }

    /// Returns the configuration of a server with a certificate for `localhost`.
    fn server(&self) -> ServerConfig {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec!["localhost".to_string()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap()
    }
}

/// A proxy in front of a server.
struct Door {
    schema: String,
    port: u16,
    protected: Arc<AtomicUsize>,
    plain: Arc<AtomicUsize>,
}

impl Door {
    /// Starts the proxy, with TLS if a configuration is given.
    fn open(tls: Option<ServerConfig>) -> Door {
        let schema = fresh_schema();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (protected, plain) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let counts = (protected.clone(), plain.clone());
        let acceptor = tls.map(|config| TlsAcceptor::from(Arc::new(config)));
        let server = socket(&schema);
        thread::spawn(move || {
            runtime.block_on(async move {
                while let Ok((client, _)) = listener.accept().await {
                    // A client that disconnects is not counted.
                    let _ = receive(client, acceptor.as_ref(), &server, &counts).await;
                }
            });
        });
        Door { schema, port, protected, plain }
    }

    /// Connects to a host in a mode, trusting a root. Returns true if the connection was encrypted.
    fn enter(&self, host: &str, mode: &str, root: Option<&Authority>) -> Result<bool, String> {
        let (front, query) = self.schema.split_once('?').unwrap();
        let kept: Vec<&str> = query.split('&').filter(|it| !it.starts_with("host=")).collect();
        let mut address =
            format!("{front}?{}&host={host}&port={}&sslmode={mode}", kept.join("&"), self.port);
        if let Some(authority) = root {
            address += &format!("&sslrootcert={}", authority.root.display());
        }
        let before = (self.protected.load(Ordering::SeqCst), self.plain.load(Ordering::SeqCst));
        let (store, _) = Postgres::create(&address, &|_| None, &PostgresOptions::default())
            .map_err(|error| error.to_string())?;
        store.vaults().map_err(|error| error.to_string())?;
        let protected = self.protected.load(Ordering::SeqCst) > before.0;
        assert_ne!(protected, self.plain.load(Ordering::SeqCst) > before.1, "one or the other");
        Ok(protected)
    }
}

async fn receive(
    mut client: TcpStream,
    acceptor: Option<&TlsAcceptor>,
    server: &std::path::Path,
    (protected, plain): &(Arc<AtomicUsize>, Arc<AtomicUsize>),
) -> std::io::Result<()> {
    let mut first = [0; 8];
    client.read_exact(&mut first).await?;
    match acceptor {
        Some(acceptor) if first == TLS_WANTED => {
            client.write_all(b"S").await?;
            let client = acceptor.accept(client).await?;
            protected.fetch_add(1, Ordering::SeqCst);
            pass(client, server, &[]).await
        }
        _ => {
            if first == TLS_WANTED {
                client.write_all(b"N").await?;
                client.read_exact(&mut first).await?;
            }
            plain.fetch_add(1, Ordering::SeqCst);
            pass(client, server, &first).await
        }
    }
}

async fn pass(
    mut client: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    server: &std::path::Path,
    said: &[u8],
) -> std::io::Result<()> {
    let mut server = UnixStream::connect(server).await?;
    server.write_all(said).await?;
    // The runtime has one thread for all connections: they run concurrently.
    tokio::spawn(async move { copy_bidirectional(&mut client, &mut server).await });
    Ok(())
}

#[test]
fn a_server_without_tls_is_used_only_if_tls_is_optional() {
    let door = Door::open(None);
    for mode in ["disable", "allow", "prefer"] {
        assert_eq!(door.enter("localhost", mode, None), Ok(false), "{mode}");
    }
    for mode in ["require", "verify-ca", "verify-full"] {
        assert!(door.enter("localhost", mode, None).is_err(), "{mode}");
    }
}

#[test]
fn certificates_are_checked_as_the_mode_requires() {
    let folder = TempDir::new().unwrap();
    let (ours, other) = (Authority::new(&folder, "ours"), Authority::new(&folder, "other"));
    let door = Door::open(Some(ours.server()));
    assert_eq!(door.enter("localhost", "disable", None), Ok(false));
    for mode in ["allow", "prefer", "require"] {
        assert_eq!(door.enter("127.0.0.1", mode, None), Ok(true), "{mode}");
    }
    // A named root certificate is checked from `require` on; the host name only in the last mode.
    for mode in ["require", "verify-ca", "verify-full"] {
        assert_eq!(door.enter("localhost", mode, Some(&ours)), Ok(true), "{mode}");
        assert!(door.enter("localhost", mode, Some(&other)).is_err(), "{mode}");
    }
    assert_eq!(door.enter("127.0.0.1", "verify-ca", Some(&ours)), Ok(true));
    assert!(door.enter("127.0.0.1", "verify-full", Some(&ours)).is_err());
    // Without a root, the machine's trust store is used, which does not contain ours.
    for mode in ["verify-ca", "verify-full"] {
        assert!(door.enter("localhost", mode, None).is_err(), "{mode}");
    }
}
