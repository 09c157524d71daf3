"""Settings from the environment, and how loudly they fail."""

import os
import secrets
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from league.environment import Environment, make_paths_absolute, read_or_create_secret

ROOT = Path(__file__).parents[1]
#: How each kind of variable is read.
READS: dict[str, Callable[[Environment], object]] = {
    "RUNGS_DEBUG": lambda given: given.flag("RUNGS_DEBUG"),
    "RUNGS_WEB_WORKERS": lambda given: given.whole("RUNGS_WEB_WORKERS", 2, 1, 64),
    "RUNGS_ORIGIN": lambda given: given.origin(),
    "RUNGS_SQLITE_SYNCHRONOUS": lambda given: given.choice("RUNGS_SQLITE_SYNCHRONOUS", ("NORMAL", "FULL")),
    "RUNGS_ALLOWED_HOSTS": lambda given: given.words("RUNGS_ALLOWED_HOSTS"),
}
BAD_ORIGINS = (
    "club.example",
    "ftp://club.example",
    "https://club.example/rungs",
    "https://a b",
    "https://x?y",
    "https://",
)


@pytest.mark.parametrize(
    ("name", "word", "sentence"),
    [
        *(("RUNGS_DEBUG", word, "RUNGS_DEBUG must be 1 or 0") for word in ("yes", "2", "")),
        *(("RUNGS_WEB_WORKERS", word, "a whole number from 1 to 64") for word in ("many", "0", "65", "1.5", "²")),
        *(("RUNGS_ORIGIN", word, "RUNGS_ORIGIN must be like") for word in BAD_ORIGINS),
        ("RUNGS_SQLITE_SYNCHRONOUS", "off", "must be NORMAL or FULL; it is “off”"),
        ("RUNGS_DEBUGG", "1", r"RUNGS_DEBUGG is not a setting of Rungs.*RUNGS_DEBUG"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(name: str, word: str, sentence: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=sentence):
        READS.get(name, str)(Environment({name: word}))


def test_flags_whole_numbers_and_lists_are_read() -> None:
    given = Environment({"RUNGS_DEBUG": "1", "RUNGS_DEMO": "0", "RUNGS_WEB_WORKERS": "8",
                         "RUNGS_ALLOWED_HOSTS": " a.example, ,b.example "})  # fmt: skip
    assert [READS[name](given) for name in ("RUNGS_DEBUG", "RUNGS_WEB_WORKERS")] == [True, 8]
    assert READS["RUNGS_ALLOWED_HOSTS"](given) == ["a.example", "b.example"]
    assert not given.flag("RUNGS_DEMO", default=True)
    assert given.flag("RUNGS_PRODUCTION", default=True)
    assert [Environment({"RUNGS_WEB_WORKERS": text}).whole("RUNGS_WEB_WORKERS", 2, 1, 64) for text in ("1", "64")] == [
        1,
        64,
    ]


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        ("", "it is not set"), ("x" * 49, "at least 50 random characters; it has 49"), ("x" * 60, "it repeats itself"),
        ("abc" * 20, "it repeats itself"), ("change-me-" * 6, "it repeats itself"), ("0123456789" * 5 + "!", "repeats"),
    ],
)  # fmt: skip
def test_production_demands_a_secret_of_fifty_random_characters(key: str, sentence: str, tmp_path: Path) -> None:
    assert Environment({"RUNGS_SECRET_KEY": "s3cret"}).secret(tmp_path) == "s3cret"
    with pytest.raises(ImproperlyConfigured, match=sentence):
        Environment({"RUNGS_PRODUCTION": "1", **({"RUNGS_SECRET_KEY": key} if key else {})}).secret(tmp_path)
    for good in (secrets.token_urlsafe(40), secrets.token_hex(25)):
        assert Environment({"RUNGS_PRODUCTION": "1", "RUNGS_SECRET_KEY": good}).secret(tmp_path) == good


def test_a_secret_is_made_once_kept_and_private(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "secret_key"
    first = Environment({}).secret(tmp_path / "deep")
    assert read_or_create_secret(path) == first and len(first) >= 40
    assert path.stat().st_mode & 0o077 == 0
    path.write_text("short")
    with pytest.raises(ImproperlyConfigured, match="Remove the file"):
        read_or_create_secret(path)


def test_a_data_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    (tmp_path / "kept" / "secret_key").mkdir(parents=True)
    for folder in (file, file / "below", tmp_path / "kept"):
        with pytest.raises(
            ImproperlyConfigured, match=f"The folder of all data, {folder}, cannot be used: .*RUNGS_VAR"
        ):
            Environment({}).secret(folder)


@pytest.mark.one_database("files of SQLite alone")
@pytest.mark.parametrize("name", ["a b", "50%41", "why?", "a#b", "é"])
def test_the_database_is_in_the_data_folder_whatever_its_name(name: str, tmp_path: Path) -> None:
    environment = {**os.environ, "DATABASE_URL": "", "RUNGS_VAR": str(tmp_path / name)}
    program = "from league import settings; print(settings.DATABASES['default']['NAME'])"
    printed = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, check=True, capture_output=True, text=True
    ).stdout
    assert printed == f"{tmp_path / name / 'rungs.sqlite3'}\n"


@pytest.mark.parametrize(
    ("variables", "origin"),
    [
        ({}, ""),
        ({"RUNGS_ALLOWED_HOSTS": "*, .club.example"}, ""),
        ({"RUNGS_ALLOWED_HOSTS": ".club.example,www.club.example,b.example"}, "https://www.club.example"),
        ({"RUNGS_ALLOWED_HOSTS": "a.example", "RUNGS_ORIGIN": "http://10.0.0.7:8000/"}, "http://10.0.0.7:8000"),
        ({"RUNGS_ORIGIN": "https://[2001:db8::1]:8443"}, "https://[2001:db8::1]:8443"),
    ],
)
def test_where_the_site_is_found_is_said_or_the_first_host(variables: dict[str, str], origin: str) -> None:
    assert Environment(variables).origin() == origin


def test_every_variable_may_stand_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text("a long random text\n")
    assert Environment({"RUNGS_SECRET_KEY_FILE": str(path)}).secret(tmp_path) == "a long random text"
    assert Environment({"RUNGS_SECRET_KEY_FILE": str(path), "RUNGS_SECRET_KEY": ""}).secret(tmp_path)
    with pytest.raises(ImproperlyConfigured, match="RUNGS_KEY_FILE is not a setting"):
        Environment({"RUNGS_KEY_FILE": str(path)})
    with pytest.raises(ImproperlyConfigured, match="RUNGS_SECRET_KEY and RUNGS_SECRET_KEY_FILE are both set"):
        Environment({"RUNGS_SECRET_KEY_FILE": str(path), "RUNGS_SECRET_KEY": "x"}).text("RUNGS_SECRET_KEY")


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_file_that_cannot_be_read_is_named(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "key"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ImproperlyConfigured, match="EMAIL_HOST_PASSWORD_FILE names a file that cannot be read"):
        Environment({"EMAIL_HOST_PASSWORD_FILE": str(path)}).text("EMAIL_HOST_PASSWORD")


@pytest.mark.parametrize(
    ("address", "whole"),
    [
        ("postgresql://rungs@postgres/rungs", "postgresql://rungs:p%40ss%2F%3A@postgres/rungs"),
        ("postgresql://rungs@/rungs?host=%2Frun", "postgresql://rungs:p%40ss%2F%3A@/rungs?host=%2Frun"),
        ("postgresql://rungs:own@postgres/rungs", "postgresql://rungs:own@postgres/rungs"),
        ("redis://valkey:6379/0", "redis://:p%40ss%2F%3A@valkey:6379/0"),
        ("sqlite:////srv/var/a.sqlite3", "sqlite:////srv/var/a.sqlite3"),
        ("memory://", "memory://"),
        ("", ""),
    ],
)
def test_an_address_takes_the_password_that_it_lacks(address: str, whole: str) -> None:
    environment = Environment({"DATABASE_URL": address, "DATABASE_PASSWORD": "p@ss/:"})
    assert environment.address("DATABASE_URL", "DATABASE_PASSWORD") == whole
    assert Environment({"DATABASE_URL": address}).address("DATABASE_URL", "DATABASE_PASSWORD", "redis://x") == (
        address or "redis://x"
    )


@pytest.mark.slow("Starts processes.")
@pytest.mark.uncounted("settings of a process of their own")
@pytest.mark.parametrize(("word", "number"), [("", 1), ("NORMAL", 1), ("FULL", 2)])
def test_sqlite_waits_for_the_disk_as_it_is_told(word: str, number: int, tmp_path: Path) -> None:
    code = (
        "import django; django.setup(); from django.db import connection as one; c = one.cursor();"
        "print(*c.execute('PRAGMA synchronous').fetchone(), *c.execute('PRAGMA journal_mode').fetchone())"
    )
    given = {"RUNGS_VAR": str(tmp_path), "RUNGS_SQLITE_SYNCHRONOUS": word, "DJANGO_SETTINGS_MODULE": "league.settings"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=given, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.stdout.split() == [str(number), "wal"], done.stderr


@pytest.mark.parametrize(
    ("platform", "given", "folder"),
    [
        ("linux", {}, "home/.local/share/rungs"),
        ("linux", {"XDG_DATA_HOME": "/data"}, "/data/rungs"),
        ("linux", {"XDG_DATA_HOME": "data"}, "home/.local/share/rungs"),
        ("darwin", {"XDG_DATA_HOME": "/data"}, "home/Library/Application Support/rungs"),
        ("darwin", {"RUNGS_VAR": "/srv/var"}, "/srv/var"),
    ],
)
def test_an_installed_site_has_its_data_in_the_folder_of_the_platform(
    platform: str, given: dict[str, str], folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr("sys.platform", platform)
    assert Environment(given).data_folder(tmp_path / "site-packages") == tmp_path / folder


def test_a_checkout_has_its_data_in_var(tmp_path: Path) -> None:
    (tmp_path / "manage.py").touch()
    assert Environment({"XDG_DATA_HOME": "/data"}).data_folder(tmp_path) == tmp_path / "var"
    assert Environment({"RUNGS_VAR": "/srv/var"}).data_folder(tmp_path) == Path("/srv/var")


def test_processes_that_start_in_another_folder_see_the_same_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "key.pem").touch()
    pem = "-----BEGIN PRIVATE KEY-----"
    given = {
        "RUNGS_VAR": "data",
        "RUNGS_BACKUP_DIR": "/srv/backups",
        "RUNGS_STATIC": "",
        "DATABASE_URL": "sqlite:///a%20club.sqlite3?timeout=5",
        "RUNGS_SECRET_KEY_FILE": "key.pem",
        "SSL_CERT_FILE": "missing.pem",
        "RUNGS_HEAD_KEY": "key.pem",
        "PATH": "bin",
    }
    changed = {
        "RUNGS_VAR": f"{tmp_path}/data",
        "DATABASE_URL": f"sqlite:///{tmp_path}/a%20club.sqlite3?timeout=5",
        "RUNGS_SECRET_KEY_FILE": f"{tmp_path}/key.pem",
        "RUNGS_HEAD_KEY": f"{tmp_path}/key.pem",
    }
    assert make_paths_absolute(given) == {**given, **changed}
    for same in (
        {"DATABASE_URL": "sqlite:////srv/club.sqlite3", "RUNGS_HEAD_KEY": pem},
        {"DATABASE_URL": "sqlite:///:memory:"},
        {"DATABASE_URL": "postgresql://club@db/club"},
    ):
        assert make_paths_absolute(same) == same
