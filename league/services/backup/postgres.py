"""PostgreSQL: pg_dump in its custom format, at the state that the manifest counts; pg_restore into a new database."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import psycopg
from psycopg import sql

from league.services.backup.manifest import Ask, Facts, Manifest, count_facts
from league.services.backup.problems import BackupProblem
from league.services.backup.programs import find_program, run
from league.services.backup.sqlite import has_rows

#: What a connection of Django's says to psycopg alone, and its limits, which a backup must not have.
NOT_OF_LIBPQ = {
    "options", "prepare_threshold", "pool", "isolation_level", "assume_role", "server_side_binding", "cursor_factory",
    "context",
}  # fmt: skip
#: Such a comment says that a database is a drill's own, and may be dropped.
DRILL = "A drill of Rungs restored a backup here; it is dropped at the next one."
#: A database's name has so many bytes at most.
LONGEST = 63


class Postgres:
    """The site's database where it is on a server."""

    engine, file = "postgresql", "database.dump"

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings, self.name = settings, settings["NAME"]

    def parameters(self, database: str) -> dict[str, str]:
        """Return what libpq is told to connect."""
        names = {"USER": "user", "PASSWORD": "password", "HOST": "host", "PORT": "port"}
        given = {libpq: str(self.settings[name]) for name, libpq in names.items() if self.settings.get(name)}
        more = {
            name: str(value) for name, value in self.settings.get("OPTIONS", {}).items() if name not in NOT_OF_LIBPQ
        }
        return {**more, **given, "dbname": database}

    def connect(self, database: str) -> psycopg.Connection[Any]:
        """Connect to a database of the server, without the limits of requests."""
        try:
            there = psycopg.connect(**self.parameters(database), autocommit=True)  # type: ignore[arg-type]  # text for all
            there.execute("SET statement_timeout = 0")
            there.execute("SET idle_in_transaction_session_timeout = 0")
        except psycopg.OperationalError as error:
            raise BackupProblem(f"PostgreSQL cannot be reached: {str(error).strip()}") from None
        return there

    def maintenance(self) -> psycopg.Connection[Any]:
        """Connect to the database from which others are made and renamed."""
        return self.connect("postgres")

    def program(self, name: str, at_least: int) -> tuple[str, str]:
        """Find a program, and say which."""
        return find_program(name, at_least)

    def call(self, program: str, database: str, *arguments: str) -> None:
        """Run a program on a database; a password goes by the environment, which no list of processes shows."""
        said = self.parameters(database)
        password = {"PGPASSWORD": said.pop("password")} if "password" in said else {}
        run([program, f"--dbname={psycopg.conninfo.make_conninfo(**said)}", "--no-password", *arguments], password)

    def server(self) -> str:
        """Return the version of the server."""
        with self.connect(self.name) as there:
            return version_of(there)

    def estimate(self) -> int:
        """Return how many bytes a dump will have: it is packed, and holds no indexes."""
        with self.connect(self.name) as there:
            tables = "SELECT coalesce(sum(pg_table_size(c.oid)), 0) FROM pg_class c WHERE c.relkind IN ('r', 'm')"
            return int(there.execute(tables).fetchall()[0][0]) // 2

    def dump(self, target: Path) -> tuple[Facts, str]:
        """Dump the database while it is written to; returns what is in the dump, and what made it."""
        with self.connect(self.name) as there:
            program, version = self.program("pg_dump", major(version_of(there)))
            there.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            ((snapshot,),) = there.execute("SELECT pg_export_snapshot()").fetchall()
            facts = count_facts(asker(there), tables_of(there))
            self.call(
                program, self.name, "--format=custom", "--no-owner", "--no-privileges", "--lock-wait-timeout=60000",
                f"--snapshot={snapshot}", f"--file={target}",
            )  # fmt: skip
        return facts, f"pg_dump {version}"

    def has_data(self) -> bool:
        """Tell whether there is a site that must not be written over."""
        if not self.exists(self.name):
            return False
        with self.connect(self.name) as there:
            return has_rows(asker(there), tables_of(there))

    def exists(self, name: str) -> bool:
        """Tell whether there is a database."""
        with self.maintenance() as there:
            return bool(there.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchall())

    def bring_back(self, dump: Path, manifest: Manifest, stamp: str) -> tuple[Facts, str]:
        """Put a dump in the place of the database; returns what is in it, and the old one's new name ("": none).

        It is restored into a database of its own, compared, and renamed at the end; an empty one is filled as it is.
        """
        if self.exists(self.name):
            with self.connect(self.name) as there:
                if not tables_of(there):
                    return self.fill(self.name, dump, manifest), ""
            self.must_be_idle()
        fresh, old = named(self.name, f"_restoring_{stamp}"), named(self.name, f"_before_{stamp}")
        self.create(fresh)
        try:
            facts = self.fill(fresh, dump, manifest)
        except BaseException:
            self.drop(fresh)
            raise
        if facts != manifest.facts:
            self.drop(fresh)
            return facts, ""
        there_was = self.exists(self.name)
        with self.maintenance() as there, there.transaction():
            if there_was:
                there.execute(rename(self.name, old))
            there.execute(rename(fresh, self.name))
        return facts, old if there_was else ""

    def must_be_idle(self) -> None:
        """Raise BackupProblem where somebody is connected to the database."""
        with self.maintenance() as there:
            question = "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()"
            ((count,),) = there.execute(question, [self.name]).fetchall()
        if count:
            raise BackupProblem(
                f"{count} connections to the database {self.name} are open: stop the site first. Nothing was changed."
            )

    def create(self, name: str, comment: str = "") -> None:
        """Make an empty database."""
        try:
            with self.maintenance() as there:
                there.execute(
                    sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'").format(sql.Identifier(name))
                    + self.locale(there)
                )
                if comment:
                    there.execute(
                        sql.SQL("COMMENT ON DATABASE {} IS {}").format(sql.Identifier(name), sql.Literal(comment))
                    )
        except psycopg.errors.InsufficientPrivilege:
            raise BackupProblem(
                f"The user of DATABASE_URL may not create the database {name}: ALTER ROLE … CREATEDB, or give an empty "
                "database to restore into."
            ) from None

    def locale(self, there: psycopg.Connection[Any]) -> sql.Composable:
        """Return by which rules of a language a new database sorts: those of the present one, if it is there."""
        question = (
            "SELECT datcollate, datctype FROM pg_database WHERE datname = %s AND "
            "coalesce(to_jsonb(pg_database) ->> 'datlocprovider', 'c') = 'c'"
        )
        found = there.execute(question, [self.name]).fetchall()
        if not found:
            return sql.SQL("")
        return sql.SQL(" LC_COLLATE {} LC_CTYPE {}").format(*map(sql.Literal, found[0]))

    def drop(self, name: str) -> None:
        """Drop a database of ours, whoever is connected."""
        with self.maintenance() as there:
            there.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))

    def fill(self, name: str, dump: Path, manifest: Manifest) -> Facts:
        """Restore a dump into an empty database, all or nothing; returns what is in it."""
        with self.connect(name) as there:
            here, then = major(version_of(there)), major(manifest.server)
        if here < then:
            raise BackupProblem(f"The backup is of PostgreSQL {then}, and this server is {here}: take a newer one.")
        program, _ = self.program("pg_restore", max(here, major(manifest.tool.removeprefix("pg_dump "))))
        self.call(
            program, name, "--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges", str(dump)
        )  # fmt: skip
        with self.connect(name) as there:
            there.execute("ANALYZE")
            return count_facts(asker(there), tables_of(there))

    @contextmanager
    def scratch(self, dump: Path, folder: Path, manifest: Manifest) -> Iterator[tuple[str, Facts]]:
        """Restore a dump into a database of its own for a while: its address for Django, and what is in it."""
        name = named(self.name, "_drill")
        self.drop_drill(name)
        self.create(name, DRILL)
        try:
            yield self.address(name), self.fill(name, dump, manifest)
        finally:
            self.drop(name)

    def drop_drill(self, name: str) -> None:
        """Drop what an earlier drill left; raises BackupProblem where the database is somebody else's."""
        if not self.exists(name):
            return
        with self.maintenance() as there:
            question = "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = %s"
            ((comment,),) = there.execute(question, [name]).fetchall()
        if comment != DRILL:
            raise BackupProblem(f"The database {name} is not a drill's own, and the drill needs its name: rename it.")
        self.drop(name)

    def address(self, name: str) -> str:
        """Return a database's address for Django."""
        said = self.parameters(name)
        who = quote(said.pop("user", ""), safe="")
        who += f":{quote(said.pop('password'), safe='')}" if "password" in said else ""
        host, port = quote(said.pop("host", ""), safe=""), said.pop("port", "")
        del said["dbname"]
        return f"postgresql://{who}@{host}{f':{port}' if port else ''}/{quote(name, safe='')}?{urlencode(said)}"


def named(name: str, ending: str) -> str:
    """Return a name for a database beside another."""
    return name.encode()[: LONGEST - len(ending)].decode(errors="ignore") + ending


def rename(old: str, new: str) -> sql.Composed:
    """Return the statement that gives a database another name."""
    return sql.SQL("ALTER DATABASE {} RENAME TO {}").format(sql.Identifier(old), sql.Identifier(new))


def major(version: str) -> int:
    """Return the first number of a version; 0 where there is none."""
    first = version.split(".", maxsplit=1)[0]
    return int(first) if first.isdigit() else 0


def version_of(there: psycopg.Connection[Any]) -> str:
    """Return the version of the server, such as “17.5”."""
    number = there.info.server_version
    return f"{number // 10_000}.{number % 10_000}"


def asker(there: psycopg.Connection[Any]) -> Ask:
    """Return what asks a database."""
    return lambda statement: there.execute(statement.encode()).fetchall()


def tables_of(there: psycopg.Connection[Any]) -> list[str]:
    """Return the names of all tables; the parts of a divided one are counted with it."""
    found = there.execute(
        "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND NOT c.relispartition"
    )
    return [name for (name,) in found.fetchall()]
