"""Reads settings from the environment and fails loudly, naming the variable and what to do.

Each variable may be in a file instead, named by the variable with ``_FILE`` behind it: so secrets need not be in an
environment, which every process of a machine's owner may read.
"""

import os
import re
import secrets
import sys
from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

from django.core.exceptions import ImproperlyConfigured

#: Every variable that Rungs reads, with what it is for; a misspelt RUNGS_ name is an error.
KNOWN = {
    "RUNGS_VAR": "folder of all data (default: var/ in a checkout; when installed, the user's data folder)",
    "RUNGS_STATIC": "folder of the static files that manage.py collectstatic collected (default: none are)",
    "RUNGS_SECRET_KEY": "secret for sessions; without it one is made and kept in RUNGS_VAR",
    "RUNGS_OLD_SECRET_KEYS": "secrets that were in use earlier, comma separated: what they signed is good still",
    "RUNGS_PRODUCTION": "1 demands an explicit secret and host names, and HTTPS",
    "RUNGS_HSTS_SECONDS": "for how long browsers come by HTTPS only (default in production a year, else 0: not told)",
    "RUNGS_HSTS_SUBDOMAINS": "1 says so of all hosts below, too (default 0)",
    "RUNGS_SESSION_DAYS": "days after which everybody signs in again (default 30)",
    "RUNGS_SESSION_IDLE_HOURS": "hours without a visit after which somebody signs in again (default 192)",
    "RUNGS_STAFF_SECOND_FACTOR": "1: staff and superusers sign in with a second step (default: in production)",
    "RUNGS_PROOF_MINUTES": "minutes after which tokens, members and links to passwords ask for it again (default 30)",
    "RUNGS_OIDC_ISSUER": "address of an OpenID Connect provider that signs people in, such as https://id.example/club",
    "RUNGS_OIDC_NAME": "name of that provider on the sign-in page (default OpenID Connect)",
    "RUNGS_OIDC_CLIENT_ID": "the site's client ID there",
    "RUNGS_OIDC_CLIENT_SECRET": "the site's client secret there",
    "RUNGS_DISCORD_CLIENT_ID": "client ID of the Discord application that signs people in",
    "RUNGS_DISCORD_CLIENT_SECRET": "client secret of that application",
    "RUNGS_DEBUG": "1 shows tracebacks in the browser; never where strangers can reach it",
    "RUNGS_ALLOWED_HOSTS": "host names that are served, comma separated",
    "RUNGS_CSRF_TRUSTED_ORIGINS": "origins (with scheme) that forms may come from, comma separated",
    "RUNGS_DEMO": "0 keeps script/serve from loading the demo leagues",
    "RUNGS_TEST_DATABASE": "sqlite or postgres: where the tests run",
    "RUNGS_TEST_TIER": "quick or all: how much of them runs",
    "RUNGS_TEST_EXAMPLES": "multiplies the examples of their properties",
    "RUNGS_ORIGIN": "where the site is found, such as https://club.example (default: the first of RUNGS_ALLOWED_HOSTS)",
    "RUNGS_WEB_WORKERS": "web processes of manage.py serve (default 2)",
    "RUNGS_WEB_THREADS": "requests that a web process answers at once (default 12)",
    "RUNGS_SERVING": "1 in web processes, which set it themselves: nothing waits long for the database there",
    "RUNGS_READS_A_MINUTE": "reads of the API a minute, asker and web process (default 300000; 0: no limit)",
    "RUNGS_LIMITS_URL": "Redis or Valkey where processes count requests together (default: the broker; none: apart)",
    "RUNGS_WRITES_A_MINUTE": "writes likewise (default 60000; 0: no limit)",
    "RUNGS_WORK_A_MINUTE": "processor seconds a minute for long answers to strangers of a network (default 20)",
    "RUNGS_LONG_ANSWERS": "long answers to strangers that a web process works out at once (default 2; 0: no bound)",
    "RUNGS_PROXIES": "how many proxies in front add the asker's address to X-Forwarded-For (default 0)",
    "RUNGS_WEBHOOKS_PRIVATE": "1 lets webhooks go into private networks, by plain http and to any port, too",
    "RUNGS_HEAD_KEY": "Ed25519 key that signs heads of logs: PEM, or its file (default: in RUNGS_VAR, made there)",
    "RUNGS_OLD_HEAD_KEYS": "public keys that signed heads earlier (x of the JSON Web Key), comma separated",
    "RUNGS_LEAVE_OUT": "capabilities that this site does without, such as reports, laboratory (default: none)",
    "RUNGS_EXPORT_DIR": "folder of stored exports, of web processes and workers alike (default: exports in RUNGS_VAR)",
    "RUNGS_BACKUP_DIR": "folder for a backup every night, which is restored and verified; empty: none",
    "RUNGS_BACKUP_KEEP": "number of backups in that folder; older ones are deleted (default 14; 0: none is)",
    "RUNGS_INLINE_GAMES": "most games that are replayed, or ranked in a period, while a game is recorded",
    "RUNGS_SQLITE_SYNCHRONOUS": "FULL: SQLite waits for the disk at every commit (default NORMAL: now and then)",
    "RUNGS_POOLER": "1: DATABASE_URL leads to a pooler of transactions, such as PgBouncer (default 0)",
    "RUNGS_REPLICA_LAG": "seconds for which a browser that wrote reads the primary, not a replica (default 5)",
    "RUNGS_LOG": "line for people, or json: an object a line, with a line for each request and task (default line)",
    "RUNGS_SLOW_QUERY_MS": "statements that take so long are logged without their values (default 500; 0: none)",
    "RUNGS_METRICS_TOKEN": "who shows it as a bearer token may read /metrics; at least 16 characters",
    "RUNGS_METRICS_PORT": "port, or address:port, at which a web process answers /metrics to everybody",
    "RUNGS_WORKER_METRICS_PORT": "likewise of a worker that has no web process beside it",
}

#: Minimum length of a configured secret.
SECRET_LENGTH = 50


#: Suffix for the variable naming a file that holds the value.
FILE_SUFFIX = "_FILE"
#: Schemes of addresses that have no password.
WITHOUT_PASSWORD = ("sqlite", "memory", "rungs-files")


class Environment:
    """The process environment, with readable error messages."""

    def __init__(self, variables: Mapping[str, str] = os.environ) -> None:
        self.variables = variables
        given = (name for name in variables if name.startswith("RUNGS_"))
        unknown = sorted(name for name in given if name.removesuffix(FILE_SUFFIX) not in KNOWN)
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
            raise ImproperlyConfigured(f"{name} and {name + FILE_SUFFIX} are both given: say one of them.")
        try:
            return Path(path).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ImproperlyConfigured(f"{name + FILE_SUFFIX} names a file that cannot be read: {error}.") from None

    def replicas(self, name: str, password: str, engine: str) -> list[str]:
        """Return the replicas' addresses; a missing password is taken from the database's."""
        addresses = self.text(name).replace(",", " ").split()
        if not addresses:
            return []
        if "postgresql" not in engine:
            raise ImproperlyConfigured(f"{name} names replicas, but the database is none that has any: PostgreSQL has.")
        for one in addresses:
            if urlsplit(one).scheme not in ("postgresql", "postgres"):
                raise ImproperlyConfigured(f"{name} must name PostgreSQL servers, such as postgresql://user@host/name.")
        return [self.with_password(one, password) for one in addresses]

    def address(self, name: str, password: str, default: str = "") -> str:
        """Return the address of a server; a password that it lacks is taken from the variable ``password``."""
        return self.with_password(self.text(name) or default, password)

    def with_password(self, address: str, password: str) -> str:
        """Return an address, with the password added from a variable if the URL needs one and has none."""
        parts, secret = urlsplit(address), self.text(password)
        if not secret or not address or parts.password is not None or parts.scheme in WITHOUT_PASSWORD:
            return address
        user, _, host = parts.netloc.rpartition("@")
        return urlunsplit(parts._replace(netloc=f"{user}:{quote(secret, safe='')}@{host}"))

    def data_folder(self, base: Path) -> Path:
        """Return the folder of all data: RUNGS_VAR, ``var`` in a checkout at ``base``, or the user's data folder."""
        given = self.text("RUNGS_VAR")
        if given:
            return Path(given)
        if (base / "manage.py").is_file():
            return base / "var"
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Application Support" / "rungs"
        # The XDG specification: a relative path is ignored.
        data = Path(self.variables.get("XDG_DATA_HOME", ""))
        return (data if data.is_absolute() else Path.home() / ".local" / "share") / "rungs"

    def flag(self, name: str, default: bool = False) -> bool:
        """Return a variable that is 1 or 0."""
        word = self.text(name, "1" if default else "0")
        if word not in ("0", "1"):
            raise ImproperlyConfigured(f"{name} must be 1 or 0; it is “{word}”.")
        return word == "1"

    def whole(self, name: str, default: int, low: int, high: int) -> int:
        """Return a whole number within bounds."""
        word = self.text(name, str(default))
        if not word.isascii() or not word.isdigit() or not low <= int(word) <= high:
            raise ImproperlyConfigured(f"{name} must be a whole number from {low} to {high}; it is “{word}”.")
        return int(word)

    def choice(self, name: str, words: Sequence[str]) -> str:
        """Return one of some words, the first if unset."""
        word = self.text(name) or words[0]
        if word not in words:
            raise ImproperlyConfigured(f"{name} must be {' or '.join(words)}; it is “{word}”.")
        return word

    def listening(self, name: str) -> tuple[str, int] | None:
        """Return an address to listen at, on localhost if only a port is given; None if unset."""
        word = self.text(name)
        if not word:
            return None
        host, _, port = word.rpartition(":")
        if not port.isascii() or not port.isdigit() or not 1 <= int(port) <= 65_535:
            raise ImproperlyConfigured(f"{name} must be like 9100 or 0.0.0.0:9100; it is “{word}”.")
        return host or "127.0.0.1", int(port)

    def metrics_token(self) -> str:
        """Return the token for /metrics, or ""."""
        token = self.text("RUNGS_METRICS_TOKEN")
        if token and len(token) < 16:
            raise ImproperlyConfigured("RUNGS_METRICS_TOKEN must have at least 16 characters that nobody guesses.")
        return token

    def words(self, name: str) -> list[str]:
        """Return a comma separated list."""
        return [word.strip() for word in self.text(name).split(",") if word.strip()]

    def choices(self, name: str, among: Collection[str]) -> list[str]:
        """Return a comma separated list of words that are all among these."""
        words = self.words(name)
        for word in words:
            if word not in among:
                raise ImproperlyConfigured(f"{name} takes {', '.join(among)}; it has “{word}”.")
        return words

    def mail_host(self) -> str:
        """Return the mail server, "" if mail is off; links in mails need a known host name."""
        host = self.text("EMAIL_HOST")
        if host and not self.words("RUNGS_ALLOWED_HOSTS"):
            raise ImproperlyConfigured(
                "EMAIL_HOST needs RUNGS_ALLOWED_HOSTS: links in mails name the host that was asked: say yours."
            )
        return host

    def identity_providers(self) -> dict[str, Any]:
        """Return the providers that sign people in, as allauth reads them; none unless they are set."""
        providers = {}
        if self._is_set_up("RUNGS_DISCORD_CLIENT_ID", "RUNGS_DISCORD_CLIENT_SECRET"):
            providers["discord"] = self._provider("RUNGS_DISCORD")
        if self._is_set_up("RUNGS_OIDC_ISSUER", "RUNGS_OIDC_CLIENT_ID", "RUNGS_OIDC_CLIENT_SECRET"):
            issuer = self.text("RUNGS_OIDC_ISSUER").rstrip("/")
            if not issuer.startswith(("https://", "http://127.0.0.1:")):
                raise ImproperlyConfigured(f"RUNGS_OIDC_ISSUER must be like https://id.example/club; it is “{issuer}”.")
            name = self.text("RUNGS_OIDC_NAME") or "OpenID Connect"
            # Connections are stored under this id: what one issuer calls a person may be another one's other person.
            digest = sha256(issuer.encode()).hexdigest()[:8]
            providers["openid_connect"] = self._provider(
                "RUNGS_OIDC", provider_id=f"oidc-{digest}", name=name, settings={"server_url": issuer}
            )
        return providers

    def _provider(self, prefix: str, **app: Any) -> dict[str, Any]:
        credentials = {"client_id": self.text(f"{prefix}_CLIENT_ID"), "secret": self.text(f"{prefix}_CLIENT_SECRET")}
        return {"APPS": [{**credentials, **app}], "OAUTH_PKCE_ENABLED": True}

    def _is_set_up(self, *names: str) -> bool:
        missing = [name for name in names if not self.text(name)]
        if missing and len(missing) < len(names):
            raise ImproperlyConfigured(f"{', '.join(names)} must be set together; {', '.join(missing)} is missing.")
        return not missing

    def identity_origins(self) -> list[str]:
        """Return the origins of the providers that sign people in."""
        issuer = urlsplit(self.text("RUNGS_OIDC_ISSUER"))
        origins = [f"{issuer.scheme}://{issuer.netloc}"] if issuer.netloc else []
        return [*origins, "https://discord.com"] if self.text("RUNGS_DISCORD_CLIENT_ID") else origins

    def limits_url(self, broker: str) -> str:
        """Return the Redis or Valkey in which requests are counted: the one named, else the broker's; "" if none."""
        url = self.text("RUNGS_LIMITS_URL") or broker
        return url.replace("valkey", "redis", 1) if url.startswith(("redis://", "rediss://", "valkey")) else ""

    def origin(self) -> str:
        """Return where the site is found, for links built outside a request, as in notices; "" if unknown."""
        given = self.text("RUNGS_ORIGIN").rstrip("/")
        if not given:
            hosts = [host for host in self.words("RUNGS_ALLOWED_HOSTS") if not host.startswith((".", "*"))]
            return f"https://{hosts[0]}" if hosts else ""
        if not re.fullmatch(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?|https?://\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?", given):
            raise ImproperlyConfigured(
                f"RUNGS_ORIGIN must be like https://club.example, without a path; it is “{given}”."
            )
        return given

    def secret(self, folder: Path) -> str:
        """Return the secret key: the one given, else one made once and kept in ``folder``."""
        given = self.text("RUNGS_SECRET_KEY")
        if self.flag("RUNGS_PRODUCTION") and len(given) < SECRET_LENGTH:
            said = f"it has {len(given)}" if given else "there is none"
            raise ImproperlyConfigured(
                f"RUNGS_PRODUCTION=1 needs a RUNGS_SECRET_KEY of at least {SECRET_LENGTH} random characters; {said}. "
                "This prints one: python -c 'import secrets; print(secrets.token_urlsafe(50))'"
            )
        return given or read_or_create_secret(folder / "secret_key")


def read_or_create_secret(path: Path) -> str:
    """Return the secret in ``path``, making it first if there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        # Exclusive creation: if several processes start at once, only one creates the secret.
        with path.open("x") as file:
            path.chmod(0o600)
            file.write(secrets.token_urlsafe(50))
    except FileExistsError:
        pass
    secret = path.read_text().strip()
    if len(secret) < 40:
        raise ImproperlyConfigured(f"The secret in {path} is too short; remove the file and a new one is made.")
    return secret
