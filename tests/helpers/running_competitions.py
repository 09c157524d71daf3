"""Running competitions for tests, written as rows with their log, whatever the services of entries check."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import Competition, Entry, EntryPlayer
from league.apps.competitions.records import ENTRY_LOG
from league.apps.competitions.selectors.competition_data import LoadedCompetition, load_competition
from league.apps.competitions.services.log_rows import append_change
from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import make_round, publish_round
from league.core.games.services.game_input import NewGame, NewResult
from league.core.locking import run_with_league_lock
from league.models import League, Player

STARTED = datetime(2024, 3, 1, 18, 0, tzinfo=UTC)


def run_competition(
    league: League, sides: Sequence[str | Sequence[str]], format_key: str = "swiss", **settings: Any
) -> Competition:
    """Write a running competition ``cup`` whose entries, numbered in this order, are players or sides of handles."""
    entries = [[side] if isinstance(side, str) else list(side) for side in sides]

    def write(league: League, now: datetime) -> Competition:
        competition = Competition.objects.create(
            league=league,
            format=format_key,
            sides_of=len(entries[0]),
            seed=7,
            created_at=now,
            **{"status": Competition.Status.RUNNING, "slug": "cup", "title": "Cup", "tie_breaks": ["DE"], **settings},
        )
        rows = [_write_entry(competition, number, handles) for number, handles in enumerate(entries, start=1)]
        League.objects.filter(pk=league.pk).update(attaches_games=True, has_attached_games=True)
        append_change(
            league, now, "test", ChangeKind.COMPETITION_STARTED, competition, settings=True,
            changed_entries=ENTRY_LOG.build_payloads(rows, competition=competition.slug),
        )  # fmt: skip
        return competition

    return run_with_league_lock(league.pk, write)


def _write_entry(competition: Competition, number: int, handles: Sequence[str]) -> Entry:
    entry = Entry.objects.create(
        league=competition.league, competition=competition, number=number, entered_at=competition.created_at
    )
    EntryPlayer.objects.bulk_create(
        EntryPlayer(
            league=competition.league,
            competition=competition,
            entry=entry,
            position=position,
            player=Player.objects.get(handle=handle),
        )
        for position, handle in enumerate(handles, start=1)
    )
    return entry


def loaded_cup(league: League, now: datetime | None = None) -> LoadedCompetition:
    """Return the competition ``cup`` as of a time."""
    return load_competition(Competition.objects.select_related("league").get(league=league, slug="cup"), now)


def meetings(league: League, round_number: int) -> list[tuple[int, ...]]:
    """Return the entries of each fixture of a round, by table, byes last."""
    return [fixture.entries for fixture in loaded_cup(league).list_fixtures(round_number)]


def play_round(league: League, number: int, *results: Sequence[float]) -> None:
    """Make and publish a round, and record its games in the order of the tables."""
    make_round(league.pk, "cup", by="arbiter")
    publish_round(league.pk, "cup", number, by="arbiter")
    for fixture, result in zip(loaded_cup(league).list_fixtures(number), results, strict=False):
        record_result(league.pk, fixture.number, scores(*result), by="arbiter")


def make_next_round(league: League) -> int:
    """Make and publish the next round."""
    made = make_round(league.pk, "cup", by="arbiter")
    publish_round(league.pk, "cup", made.number, by="arbiter")
    return made.number


def play(league: League, number: int, *winners: int) -> None:
    """Record the games of a round, each won by one of the winners."""
    for fixture in loaded_cup(league).list_fixtures(number):
        if fixture.kind == "game":
            first, second = fixture.entries
            assert (first in winners) != (second in winners)
            record_result(league.pk, fixture.number, scores(*((1, 0) if first in winners else (0, 1))), by="arbiter")


def scores(*values: float, **more: Any) -> NewGame:
    """Return the result of a fixture by its scores in seat order."""
    return NewGame([NewResult("", score) for score in values], **more)
