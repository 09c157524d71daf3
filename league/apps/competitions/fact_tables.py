"""The tables of competitions that verification compares with the log."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from django.db.models import Prefetch

from league.apps.competitions.models import (
    Competition,
    Entry,
    EntryPlayer,
    FinalStandings,
    Fixture,
    FixtureSeat,
    Round,
    SourceFile,
)
from league.apps.competitions.selectors import rows
from league.core.log.chain import compute_digest
from league.core.log_tables import FactTable
from league.core.records import BATCH
from league.core.text.stored_messages import phrase
from league.core.verify.facts import Rows
from league.core.verify.log_replay import LogReplay
from league.models import League, LogEntry


def _read_competitions(league: League, log: LogReplay) -> Rows:
    for competition in Competition.objects.filter(league=league).order_by("pk"):
        yield competition.slug, rows.build_settings_row(competition)


def _read_entries(league: League, log: LogReplay) -> Rows:
    lines = EntryPlayer.objects.filter(league=league).select_related("player")
    entries = Entry.objects.filter(league=league).select_related("competition")
    entries = entries.prefetch_related(Prefetch("players", lines))
    for entry in entries.order_by("pk").iterator(chunk_size=BATCH):
        slug = entry.competition.slug
        row = rows.build_entry_row(slug, entry, entry.players.all(), rows.get_handle)
        for member, line in zip(row["players"], entry.players.all(), strict=True):
            if line.competition_id != entry.competition_id:
                member["competition"] = line.competition_id  # No log has that.
        yield (slug, entry.number), row


def _read_rounds(league: League, log: LogReplay) -> Rows:
    for one_round in Round.objects.filter(league=league).select_related("competition").order_by("pk"):
        slug = one_round.competition.slug
        yield (slug, one_round.number), rows.build_round_row(slug, one_round)


def _read_fixtures(league: League, log: LogReplay) -> Rows:
    seats: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    lines = FixtureSeat.objects.filter(league=league).order_by("fixture", "seat")
    for fixture_id, seat, entry, points in lines.values_list("fixture_id", "seat", "entry__number", "points"):
        # The log has the seats in order without their numbers: a missing one is entry 0.
        seats[fixture_id] += [(0, "")] * (seat - 1 - len(seats[fixture_id]))
        seats[fixture_id].append((entry, points))
    fixtures = Fixture.objects.filter(league=league).select_related("competition", "round", "game").order_by("pk")
    for fixture in fixtures.iterator(chunk_size=BATCH):
        yield (
            fixture.number,
            rows.build_fixture_row(
                fixture.competition.slug,
                fixture,
                None if fixture.round is None else fixture.round.number,
                seats[fixture.pk],
                None if fixture.game is None else fixture.game.number,
            ),
        )


def _read_standings(league: League, log: LogReplay) -> Rows:
    """Read the final standings; the log has the SHA-256 of each document."""
    for row in log.tables["final standings"].values():
        row.values["document"] = row.values.get("sha256")
    for edition in FinalStandings.objects.filter(league=league).select_related("competition").order_by("pk"):
        slug = edition.competition.slug
        yield (
            (slug, edition.number),
            {
                **rows.build_standings_row(slug, edition),
                "document": compute_digest(edition.document),
            },
        )


def _read_files(league: League, log: LogReplay) -> Rows:
    logged = log.tables["files of competitions"]
    for slug in [slug for slug, row in logged.items() if not row.values["sha256"]]:
        del logged[slug]  # It was deleted.
    for source in SourceFile.objects.filter(league=league).select_related("competition").order_by("pk"):
        yield source.competition.slug, rows.build_file_row(source.competition.slug, source)


def _declare(title: str, read: Callable[[League, LogReplay], Rows], *texts: Any, **options: Any) -> FactTable:
    """Return a table whose rows any entry of a competition may have."""
    kinds = [kind for kind in LogEntry.Kind.values if kind.startswith(("competition.", "entry.", "round.", "fixture."))]
    return FactTable(title, read, *texts, kinds=kinds, **options)


TABLES = (
    _declare(
        "competitions",
        _read_competitions,
        lambda slug: phrase("The competition {slug}", slug=slug),
        phrase("in competitions, compared with the log"),
        key="competition",
        member="settings",
    ),
    _declare(
        "entries of competitions",
        _read_entries,
        lambda slug, number: phrase("Entry {number} of {slug}", number=number, slug=slug),
        phrase("in entries of competitions, compared with the log"),
        key="competition entry",
        member="entries",
        # A public export lacks them.
        omit={"not_against": []},
    ),
    _declare(
        "rounds of competitions",
        _read_rounds,
        lambda slug, number: phrase("Round {number} of {slug}", number=number, slug=slug),
        phrase("in rounds of competitions, compared with the log"),
        key="competition round",
        member="rounds",
    ),
    _declare(
        "fixtures",
        _read_fixtures,
        lambda number: phrase("Fixture {number}", number=number),
        phrase("in fixtures, compared with the log"),
        key="fixture",
        member="fixtures",
    ),
    _declare(
        "final standings",
        _read_standings,
        lambda slug, number: phrase("Final standings {number} of {slug}", number=number, slug=slug),
        phrase("in final standings, compared with the log"),
        key="competition edition",
        member="standings",
    ),
    _declare(
        "files of competitions",
        _read_files,
        lambda slug: phrase("The imported file of {slug}", slug=slug),
        phrase("in imported files of competitions, compared with the log"),
        key="competition",
        member="file",
    ),
)
