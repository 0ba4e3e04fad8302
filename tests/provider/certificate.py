"""A certificate for 127.0.0.1 that nobody vouches for, made anew for each test."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from pathlib import Path

from tests import services


def write(folder: Path) -> Path:
    """The certificate with its key, as one PEM file; skips by name where openssl is not there."""
    openssl = shutil.which("openssl")
    if openssl is None:
        services.absent("openssl")
    made = folder / "made.pem"
    kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    whose = ["-subj", "/CN=provider", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"]
    files = ["-keyout", str(made), "-out", str(folder / "only.pem")]
    done = subprocess.run(
        [str(openssl), "req", "-x509", *kind, *whose, *files],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    made.write_text(made.read_text() + (folder / "only.pem").read_text())
    return made


def server_context(made: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made)
    return context
