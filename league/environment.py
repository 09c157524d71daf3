"""Reads settings from environment variables. An invalid value raises an error with the variable's name and the remedy.

Each value can be read from a file instead, named by the variable with the suffix ``_FILE``. This keeps secrets out of
the environment, which other processes of the same user can read.
"""

import os
import re
import secrets
import sys
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from django.core.exceptions import ImproperlyConfigured

#: Every RUNGS_ variable with its meaning. Any other RUNGS_ variable is an error.
KNOWN = {
    "RUNGS_VAR": "folder of all data (default: var/ in a clone; when installed, the user's data folder)",
    "RUNGS_STATIC": "folder of static files collected by manage.py collectstatic (default: none)",
    "RUNGS_SECRET_KEY": "secret for sessions (default: generated, and stored in RUNGS_VAR)",
    "RUNGS_OLD_SECRET_KEYS": "earlier secrets, comma-separated; their signatures stay valid",
    "RUNGS_PRODUCTION": "1 requires a secret, host names and HTTPS",
    "RUNGS_HSTS_SECONDS": "max-age of HSTS (default: a year in production, otherwise 0: no header)",
    "RUNGS_HSTS_SUBDOMAINS": "1 includes subdomains in HSTS (default 0)",
    "RUNGS_SESSION_DAYS": "days after which users sign in again (default 30)",
    "RUNGS_SESSION_IDLE_HOURS": "hours without a visit after which users sign in again (default 192)",
    "RUNGS_STAFF_SECOND_FACTOR": "1: staff and superusers need a second sign-in step (default: 1 in production)",
    "RUNGS_PROOF_MINUTES": "minutes for which a password entry is accepted for sensitive actions (default 30)",
    "RUNGS_OIDC_ISSUER": "address of an OpenID Connect provider for sign-in, such as https://id.example/club",
    "RUNGS_OIDC_NAME": "name of that provider on the sign-in page (default OpenID Connect)",
    "RUNGS_OIDC_CLIENT_ID": "the site's client ID there",
    "RUNGS_OIDC_CLIENT_SECRET": "the site's client secret there",
    "RUNGS_DISCORD_CLIENT_ID": "client ID of the Discord application for sign-in",
    "RUNGS_DISCORD_CLIENT_SECRET": "client secret of that application",
    "RUNGS_DEBUG": "1 shows tracebacks in the browser; never on a public site",
    "RUNGS_ALLOWED_HOSTS": "host names of the site, comma-separated",
    "RUNGS_CSRF_TRUSTED_ORIGINS": "origins (with scheme) from which forms are accepted, comma-separated",
    "RUNGS_DEMO": "0: script/serve does not load the demo leagues",
    "RUNGS_TEST_DATABASE": "database of the tests: sqlite or postgres",
    "RUNGS_TEST_TIER": "which tests run: quick or all",
    "RUNGS_TEST_EXAMPLES": "multiplies the number of generated examples (default 1)",
    "RUNGS_ORIGIN": "the site's address, such as https://club.example (default: the first of RUNGS_ALLOWED_HOSTS)",
    "RUNGS_WEB_WORKERS": "web processes of manage.py serve (default 2)",
    "RUNGS_WEB_THREADS": "requests that a web process answers at once (default 12)",
    "RUNGS_SERVING": "1 in web processes, which set it themselves: short database timeouts",
    "RUNGS_READS_A_MINUTE": "API reads per minute and client (default 300000; 0: no limit)",
    "RUNGS_LIMITS_URL": "Redis or Valkey for shared rate limits (default: the broker; none: each process counts)",
    "RUNGS_WRITES_A_MINUTE": "API writes per minute and client (default 60000; 0: no limit)",
    "RUNGS_WORK_A_MINUTE": "processor seconds per minute and network for expensive anonymous requests (default 20)",
    "RUNGS_LONG_ANSWERS": "expensive anonymous requests that a web process answers at once (default 2; 0: no limit)",
    "RUNGS_PROXIES": "number of proxies that add to X-Forwarded-For (default 0)",
    "RUNGS_WEBHOOKS_PRIVATE": "1 allows webhooks to private networks, by plain HTTP and to any port",
    "RUNGS_HEAD_KEY": "Ed25519 key that signs log heads: PEM or a path (default: generated in RUNGS_VAR)",
    "RUNGS_OLD_HEAD_KEYS": "earlier public keys of log heads (x of the JSON Web Key), comma-separated",
    "RUNGS_LEAVE_OUT": "capabilities to leave out, such as reports, laboratory (default: none)",
    "RUNGS_EXPORT_DIR": "folder of stored exports, shared by all machines (default: exports in RUNGS_VAR)",
    "RUNGS_BACKUP_DIR": "folder for nightly backups, each verified by a restore; empty: none",
    "RUNGS_BACKUP_KEEP": "number of backups kept in that folder (default 14; 0: all)",
    "RUNGS_INLINE_GAMES": "maximum number of games replayed, or ranked in a period, within a request (default 5000)",
    "RUNGS_SQLITE_SYNCHRONOUS": "FULL: SQLite waits for the disk at every commit (default NORMAL)",
    "RUNGS_POOLER": "1: DATABASE_URL is a transaction pooler, such as PgBouncer (default 0)",
    "RUNGS_REPLICA_LAG": "seconds for which a browser that wrote reads the primary (default 5)",
    "RUNGS_LOG": "line for people, or json: one JSON object per line, request and task (default line)",
    "RUNGS_SLOW_QUERY_MS": "duration from which statements are logged, without values (default 500; 0: none)",
    "RUNGS_METRICS_TOKEN": "bearer token for /metrics, at least 16 characters",
    "RUNGS_METRICS_PORT": "port, or address:port, that serves /metrics without a token",
    "RUNGS_WORKER_METRICS_PORT": "the same for a worker with a RUNGS_VAR of its own",
}

#: Minimum length of a configured secret.
SECRET_LENGTH = 50
#: A random secret hardly ever has the same three characters twice: this many runs of three must be different.
RUN_LENGTH, MIN_RUNS = 3, 30


#: Suffix for the variable naming a file that holds the value.
FILE_SUFFIX = "_FILE"
#: Variables that name a folder.
FOLDERS = ("RUNGS_VAR", "RUNGS_STATIC", "RUNGS_EXPORT_DIR", "RUNGS_BACKUP_DIR", "PROMETHEUS_MULTIPROC_DIR")
#: How the URL of an SQLite file begins.
SQLITE = "sqlite:///"
#: URL schemes without a password.
WITHOUT_PASSWORD = ("sqlite", "memory", "rungs-files")


class Environment:
    """The process environment, with readable error messages."""

    def __init__(self, variables: Mapping[str, str] = os.environ) -> None:
        self.variables = variables
        setting_names = (name for name in variables if name.startswith("RUNGS_"))
        unknown = sorted(name for name in setting_names if name.removesuffix(FILE_SUFFIX) not in KNOWN)
        if unknown:
            raise ImproperlyConfigured(
                f"{', '.join(unknown)} is not a setting of Rungs. The settings are: {', '.join(KNOWN)}."
            )

    def text(self, name: str, default: str = "") -> str:
        """Return a variable as text, or the contents of the file named by NAME_FILE."""
        path = self.variables.get(name + FILE_SUFFIX, "").strip()
        if not path:
            return self.variables.get(name, default).strip()
        if self.variables.get(name, "").strip():
            raise ImproperlyConfigured(f"{name} and {name + FILE_SUFFIX} are both set: set only one of them.")
        try:
            return Path(path).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ImproperlyConfigured(f"{name + FILE_SUFFIX} names a file that cannot be read: {error}.") from None

    def replicas(self, name: str, password: str, engine: str) -> list[str]:
        """Return the replicas' URLs; a missing password is read from the variable ``password``."""
        addresses = self.text(name).replace(",", " ").split()
        if not addresses:
            return []
        if "postgresql" not in engine:
            raise ImproperlyConfigured(f"{name} is set, but only PostgreSQL supports replicas.")
        for address in addresses:
            if urlsplit(address).scheme not in ("postgresql", "postgres"):
                raise ImproperlyConfigured(f"{name} must name PostgreSQL servers, such as postgresql://user@host/name.")
        return [self.with_password(address, password) for address in addresses]

    def address(self, name: str, password: str, default: str = "") -> str:
        """Return the URL of a server; a missing password is read from the variable ``password``."""
        return self.with_password(self.text(name) or default, password)

    def with_password(self, address: str, password: str) -> str:
        """Return a URL with the password from a variable, if it needs one and has none."""
        url, secret = urlsplit(address), self.text(password)
        if not secret or not address or url.password is not None or url.scheme in WITHOUT_PASSWORD:
            return address
        user, _, host = url.netloc.rpartition("@")
        return urlunsplit(url._replace(netloc=f"{user}:{quote(secret, safe='')}@{host}"))

    def data_folder(self, base: Path) -> Path:
        """Return the folder of all data: RUNGS_VAR, ``var`` in a checkout at ``base``, or the user's data folder."""
        path = self.text("RUNGS_VAR")
        if path:
            return Path(path).absolute()
        if (base / "manage.py").is_file():
            return base / "var"
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Application Support" / "rungs"
        # The XDG specification: a relative path is ignored.
        data = Path(self.variables.get("XDG_DATA_HOME", ""))
        return (data if data.is_absolute() else Path.home() / ".local" / "share") / "rungs"

    def flag(self, name: str, default: bool = False) -> bool:
        """Return a variable that is 1 or 0."""
        value = self.text(name, "1" if default else "0")
        if value not in ("0", "1"):
            raise ImproperlyConfigured(f"{name} must be 1 or 0; it is “{value}”.")
        return value == "1"

    def whole(self, name: str, default: int, low: int, high: int) -> int:
        """Return a whole number within bounds."""
        value = self.text(name, str(default))
        if not value.isascii() or not value.isdigit() or not low <= int(value) <= high:
            raise ImproperlyConfigured(f"{name} must be a whole number from {low} to {high}; it is “{value}”.")
        return int(value)

    def choice(self, name: str, words: Sequence[str]) -> str:
        """Return one of some words, the first if unset."""
        value = self.text(name) or words[0]
        if value not in words:
            raise ImproperlyConfigured(f"{name} must be {' or '.join(words)}; it is “{value}”.")
        return value

    def listening(self, name: str) -> tuple[str, int] | None:
        """Return host and port to listen at (127.0.0.1 if only a port is set); None if unset."""
        address = self.text(name)
        if not address:
            return None
        host, _, port = address.rpartition(":")
        if not port.isascii() or not port.isdigit() or not 1 <= int(port) <= 65_535:
            raise ImproperlyConfigured(f"{name} must be like 9100 or 0.0.0.0:9100; it is “{address}”.")
        return host or "127.0.0.1", int(port)

    def metrics_token(self) -> str:
        """Return the token for /metrics, or ""."""
        token = self.text("RUNGS_METRICS_TOKEN")
        if token and len(token) < 16:
            raise ImproperlyConfigured("RUNGS_METRICS_TOKEN must have at least 16 random characters.")
        return token

    def words(self, name: str) -> list[str]:
        """Return the items of a comma-separated list."""
        return [item.strip() for item in self.text(name).split(",") if item.strip()]

    def choices(self, name: str, among: Collection[str]) -> list[str]:
        """Return the items of a comma-separated list; refuse items that are not in ``among``."""
        values = self.words(name)
        for value in values:
            if value not in among:
                raise ImproperlyConfigured(f"{name} may only contain {', '.join(among)}; it contains “{value}”.")
        return values

    def mail_host(self) -> str:
        """Return the mail server, or "" if mail is off. Links in emails need a host name."""
        host = self.text("EMAIL_HOST")
        if host and not self.words("RUNGS_ALLOWED_HOSTS"):
            raise ImproperlyConfigured(
                "EMAIL_HOST needs RUNGS_ALLOWED_HOSTS, because links in emails contain the host name."
            )
        return host

    def identity_providers(self) -> dict[str, Any]:
        """Return the configured identity providers in allauth's form."""
        providers = {}
        if self._is_set_up("RUNGS_DISCORD_CLIENT_ID", "RUNGS_DISCORD_CLIENT_SECRET"):
            providers["discord"] = self._provider("RUNGS_DISCORD")
        if self._is_set_up("RUNGS_OIDC_ISSUER", "RUNGS_OIDC_CLIENT_ID", "RUNGS_OIDC_CLIENT_SECRET"):
            issuer = self.text("RUNGS_OIDC_ISSUER").rstrip("/")
            if not issuer.startswith(("https://", "http://127.0.0.1:")):
                raise ImproperlyConfigured(f"RUNGS_OIDC_ISSUER must be like https://id.example/club; it is “{issuer}”.")
            name = self.text("RUNGS_OIDC_NAME") or "OpenID Connect"
            # Connections are stored under this id, because two issuers may use the same user id for different people.
            digest = sha256(issuer.encode()).hexdigest()[:8]
            providers["openid_connect"] = self._provider(
                "RUNGS_OIDC", provider_id=f"oidc-{digest}", name=name, settings={"server_url": issuer}
            )
        return providers

    def _provider(self, prefix: str, **app: Any) -> dict[str, Any]:
        credentials = {"client_id": self.text(f"{prefix}_CLIENT_ID"), "secret": self.text(f"{prefix}_CLIENT_SECRET")}
        return {"APPS": [{**credentials, **app}], "OAUTH_PKCE_ENABLED": True}

    def _is_set_up(self, *names: str) -> bool:
        missing_names = [name for name in names if not self.text(name)]
        if missing_names and len(missing_names) < len(names):
            raise ImproperlyConfigured(
                f"{', '.join(names)} must be set together; {', '.join(missing_names)} is missing."
            )
        return not missing_names

    def identity_origins(self) -> list[str]:
        """Return the origins of the configured identity providers."""
        issuer = urlsplit(self.text("RUNGS_OIDC_ISSUER"))
        origins = [f"{issuer.scheme}://{issuer.netloc}"] if issuer.netloc else []
        return [*origins, "https://discord.com"] if self.text("RUNGS_DISCORD_CLIENT_ID") else origins

    def limits_url(self, broker: str) -> str:
        """Return the URL of the Redis or Valkey for rate limits (default: the broker); "" if there is none."""
        url = self.text("RUNGS_LIMITS_URL") or broker
        return url.replace("valkey", "redis", 1) if url.startswith(("redis://", "rediss://", "valkey")) else ""

    def origin(self) -> str:
        """Return the site's address for links outside a request, such as in notices; "" if unknown."""
        origin = self.text("RUNGS_ORIGIN").rstrip("/")
        if not origin:
            hosts = [host for host in self.words("RUNGS_ALLOWED_HOSTS") if not host.startswith((".", "*"))]
            return f"https://{hosts[0]}" if hosts else ""
        if not re.fullmatch(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?|https?://\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?", origin):
            raise ImproperlyConfigured(
                f"RUNGS_ORIGIN must be like https://club.example, without a path; it is “{origin}”."
            )
        return origin

    def secret(self, folder: Path) -> str:
        """Return the configured secret key, or a generated one that is stored in ``folder``."""
        secret_key = self.text("RUNGS_SECRET_KEY")
        if self.flag("RUNGS_PRODUCTION") and (weakness := _describe_weakness(secret_key)):
            raise ImproperlyConfigured(
                f"RUNGS_PRODUCTION=1 needs a RUNGS_SECRET_KEY of at least {SECRET_LENGTH} random characters; "
                f"{weakness}. To generate one: python -c 'import secrets; print(secrets.token_urlsafe(50))'"
            )
        return secret_key or read_or_create_secret(folder / "secret_key")


def make_paths_absolute(variables: Mapping[str, str]) -> dict[str, str]:
    """Return an environment for processes that start in another folder: its relative paths are seen from this one."""
    found = dict(variables)
    for name, value in variables.items():
        path = Path(value.strip())
        is_file_name = name.endswith(FILE_SUFFIX) or (name == "RUNGS_HEAD_KEY" and "BEGIN" not in value)
        if value.strip() and (name in FOLDERS or (is_file_name and path.is_file())):
            found[name] = str(path.absolute())
    url = variables.get("DATABASE_URL", "").strip()
    if url.startswith(SQLITE) and not url.startswith((f"{SQLITE}/", f"{SQLITE}:")):
        name, mark, options = url.removeprefix(SQLITE).partition("?")
        found["DATABASE_URL"] = f"{SQLITE}{quote(str(Path(unquote(name)).absolute()))}{mark}{options}"
    return found


def _describe_weakness(secret_key: str) -> str:
    """Return why a secret key can be guessed, "" for a random one."""
    if len(secret_key) < SECRET_LENGTH:
        return f"it has {len(secret_key)}" if secret_key else "it is not set"
    runs = {secret_key[at : at + RUN_LENGTH] for at in range(len(secret_key) - RUN_LENGTH + 1)}
    return "" if len(runs) >= MIN_RUNS else "it repeats itself"


def read_or_create_secret(path: Path) -> str:
    """Return the secret in ``path``, which is generated if missing."""
    create_data_folder(path.parent)
    try:
        # Exclusive creation: if several processes start at once, only one creates the secret.
        if not path.exists():
            with suppress(FileExistsError), path.open("x") as file:
                path.chmod(0o600)
                file.write(secrets.token_urlsafe(50))
        secret = path.read_text().strip()
    except OSError as error:
        raise _describe_unusable(path.parent, error) from None
    if len(secret) < 40:
        raise ImproperlyConfigured(f"The secret in {path} is too short. Remove the file to generate a new one.")
    return secret


def compute_digest(folder: Path) -> str:
    """Return a short hash of all files in a folder, with their names."""
    digest = sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(folder).as_posix()}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def create_data_folder(folder: Path) -> None:
    """Create the folder of all data if it is missing; raises ImproperlyConfigured if that fails."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _describe_unusable(folder, error) from None


def _describe_unusable(folder: Path, error: OSError) -> ImproperlyConfigured:
    return ImproperlyConfigured(
        f"The folder of all data, {folder}, cannot be used: {error.strerror}. Set RUNGS_VAR to one that can be written."
    )
