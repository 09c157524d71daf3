"""What a backup says of itself: ``manifest.json``, with which a restored database is compared.

A backup is a folder with the database's copy, the manifest, and secrets where they were asked for.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from league.services.backup.problems import BackupProblem

FORMAT, VERSION = "rungs-backup", 1
MANIFEST, SECRETS = "manifest.json", "secrets.json"
#: Most differences that are said in words.
SAID = 20

Ask = Callable[[str], Sequence[Sequence[Any]]]
"""Asks one state of a database: a statement, and its rows."""


@dataclass(frozen=True)
class Facts:
    """What is counted in a database: rows of each table, migrations, and how far each league's log goes."""

    migrations: list[str]
    """``app.name``, sorted."""
    leagues: list[dict[str, Any]]
    """``slug``, ``entries`` of the log, ``head`` (the last entry's SHA-256, "" without one), ``games``; by slug."""
    rows: dict[str, int]
    """Table: rows."""

    @property
    def entries(self) -> int:
        """Return the entries of all logs."""
        return sum(league["entries"] for league in self.leagues)

    @property
    def games(self) -> int:
        """Return the games of all leagues."""
        return sum(league["games"] for league in self.leagues)


@dataclass(frozen=True)
class Manifest:
    """What a backup says of itself."""

    made_at: str
    rungs: str
    engine: str
    """``sqlite`` or ``postgresql``."""
    server: str
    """The version of the database."""
    tool: str
    """What made the copy, such as ``pg_dump 17.5``."""
    facts: Facts
    files: dict[str, dict[str, Any]]
    """Name: ``bytes`` and ``sha256``. The manifest itself is not among them."""

    def as_text(self) -> str:
        """Return the manifest as it is written."""
        shape = {"format": FORMAT, "version": VERSION, **asdict(self)}
        return json.dumps(shape, indent=1, ensure_ascii=False) + "\n"


def read_manifest(folder: Path) -> Manifest:
    """Read what a backup says of itself; raises BackupProblem."""
    path = folder / MANIFEST
    try:
        shape = json.loads(path.read_text())
        if (shape.pop("format"), shape.pop("version")) != (FORMAT, VERSION):
            raise BackupProblem(f"{path} is of another format than {FORMAT} {VERSION}: take the Rungs that made it.")
        facts = Facts(**shape.pop("facts"))
        files = {name: {"bytes": told["bytes"], "sha256": told["sha256"]} for name, told in shape.pop("files").items()}
        if (type(facts.migrations), type(facts.leagues), type(facts.rows)) != (list, list, dict):
            raise TypeError("its facts are of other kinds")
        return Manifest(facts=facts, files=files, **shape)
    except OSError as error:
        raise BackupProblem(f"{folder} is no backup: {path.name} cannot be read ({error.strerror}).") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BackupProblem(f"{path} cannot be read as the manifest of a backup: {error}.") from None


def count_facts(ask: Ask, tables: Sequence[str]) -> Facts:
    """Count what is in a database that has been migrated."""
    migrations = [f"{app}.{name}" for app, name in ask("SELECT app, name FROM django_migrations")]
    leagues = ask(
        "SELECT slug, log_length, coalesce((SELECT sha256 FROM league_logentry e WHERE e.league_id = l.id "
        "ORDER BY position DESC LIMIT 1), ''), last_number FROM league_league l"
    )
    told = [dict(zip(("slug", "entries", "head", "games"), row, strict=True)) for row in leagues]
    # Sorted here: two databases may sort text by different rules.
    return Facts(
        sorted(migrations),
        sorted(told, key=lambda league: str(league["slug"])),
        {table: int(ask(f'SELECT count(*) FROM "{table}"')[0][0]) for table in sorted(tables)},  # noqa: S608 -- own names
    )


def differences(wanted: Facts, found: Facts) -> list[str]:
    """Return in sentences how a database differs from what a manifest says; the first few, and how many more."""
    said = []
    for app in sorted(set(wanted.migrations) ^ set(found.migrations)):
        said.append(
            f"The migration {app} is {'missing' if app in wanted.migrations else 'there, but not in the backup'}."
        )
    then = {league["slug"]: league for league in wanted.leagues}
    now = {league["slug"]: league for league in found.leagues}
    for slug in sorted(then.keys() ^ now.keys()):
        said.append(f"The league {slug} is {'missing' if slug in then else 'there, but not in the backup'}.")
    for slug in sorted(then.keys() & now.keys()):
        said += [
            f"The league {slug} has {what} {now[slug][what]}; the backup says {then[slug][what]}."
            for what in ("entries", "head", "games")
            if now[slug][what] != then[slug][what]
        ]
    said += table_differences(wanted.rows, found.rows)
    more = len(said) - SAID
    return [*said[:SAID], f"And {more} more differences."] if more > 0 else said


def table_differences(wanted: Mapping[str, int], found: Mapping[str, int]) -> list[str]:
    """Return in sentences which tables have other numbers of rows."""
    return [
        f"The table {table} has {found.get(table, 'no')} rows; the backup says {wanted.get(table, 'none')}."
        for table in sorted({*wanted, *found})
        if wanted.get(table) != found.get(table)
    ]


def file_facts(path: Path) -> dict[str, Any]:
    """Return size and SHA-256 of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(1 << 20):
            digest.update(part)
    return {"bytes": path.stat().st_size, "sha256": digest.hexdigest()}


def check_manifest(folder: Path, sha256: str) -> None:
    """Raise BackupProblem where the manifest is not the one whose SHA-256 somebody has kept."""
    found = file_facts(folder / MANIFEST)["sha256"]
    if found != sha256.strip().lower():
        raise BackupProblem(
            f"{folder / MANIFEST} has another SHA-256 than the one that you gave: {found}. Either it is of another "
            "backup, or somebody changed this one. Nothing was changed here."
        )


def check_files(folder: Path, manifest: Manifest) -> None:
    """Raise BackupProblem where a file of a backup is missing or is not what the manifest says."""
    for name, told in manifest.files.items():
        path = folder / name
        if Path(name).name != name or not path.is_file():
            raise BackupProblem(f"{path} is missing: this backup is not whole.")
        if file_facts(path) != told:
            raise BackupProblem(f"{path} is not the file that was backed up: its SHA-256 differs from the manifest's.")
