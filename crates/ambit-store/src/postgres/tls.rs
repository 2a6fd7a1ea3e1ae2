//! TLS with psql's modes, from no encryption to a certificate for the host's name.

use std::path::Path;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error as TlsError, RootCertStore,
    SignatureScheme,
};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{Error, Result};

/// The level of protection of a connection: psql's `sslmode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Disable,
    /// Treated as `Prefer`: trying an unencrypted connection first has no benefit.
    Allow,
    Prefer,
    /// Encrypted, but without a check of the certificate unless a root certificate is named.
    Require,
    VerifyCa,
    VerifyFull,
}

impl Mode {
    pub fn parse(text: &str) -> Option<Mode> {
        Some(match text {
            "disable" => Mode::Disable,
            "allow" => Mode::Allow,
            "prefer" => Mode::Prefer,
            "require" => Mode::Require,
            "verify-ca" => Mode::VerifyCa,
            "verify-full" => Mode::VerifyFull,
            _ => return None,
        })
    }
}

/// Returns the connector for a mode. `root` names a file with trusted certificates; `system`, or
/// no value, uses the machine's trust store.
pub(super) fn connector(mode: Mode, root: Option<&Path>) -> Result<MakeRustlsConnect> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(Error::database)?;
    let checks = match mode {
        Mode::VerifyFull => Checks::Name,
        Mode::VerifyCa => Checks::Chain,
        // As psql: an explicit root certificate is always checked against.
        Mode::Require if root.is_some() => Checks::Chain,
        _ => Checks::Nothing,
    };
    let inner = match checks {
        Checks::Nothing => None,
        Checks::Chain | Checks::Name => {
            let roots = Arc::new(roots(root)?);
            let verifier = WebPkiServerVerifier::builder_with_provider(roots, provider.clone());
            Some(verifier.build().map_err(Error::database)?)
        }
    };
    let verifier = Arc::new(Verifier { inner, by_name: checks == Checks::Name, provider });
    let config =
        builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Checks {
    Nothing,
    Chain,
    Name,
}

fn roots(root: Option<&Path>) -> Result<RootCertStore> {
    let mut store = RootCertStore::empty();
    match root.filter(|path| path.as_os_str() != "system") {
        Some(path) => {
            let unusable = |why: String| Error::Unusable { path: path.display().to_string(), why };
            let certificates = CertificateDer::pem_file_iter(path)
                .map_err(|error| unusable(format!("holds no root certificate: {error}")))?;
            for certificate in certificates {
                let added = certificate.map_err(|error| error.to_string());
                let added = added.and_then(|it| store.add(it).map_err(|error| error.to_string()));
                added.map_err(|why| unusable(format!("holds a bad certificate: {why}")))?;
            }
        }
        None => {
            store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    Ok(store)
}

/// Verifies the server's certificate as far as the mode requires.
#[derive(Debug)]
struct Verifier {
    inner: Option<Arc<WebPkiServerVerifier>>,
    by_name: bool,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, TlsError> {
        let Some(inner) = &self.inner else {
            return Ok(ServerCertVerified::assertion());
        };
        match inner.verify_server_cert(end, between, name, ocsp, now) {
            Err(TlsError::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.by_name => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, TlsError> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, TlsError> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
