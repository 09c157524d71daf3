"""The trail of a competition: what an arbiter changed by hand, read from the league's log."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import Competition, Fixture
from league.apps.competitions.selectors.competition_data import LoadedCompetition
from league.apps.competitions.selectors.competitions import REGULATED
from league.core.log.selectors.log_decode import open_payloads
from league.models import Game, LogEntry, Result

#: Kinds of entries that change games that were recorded.
GAME_KINDS = (LogEntry.Kind.GAME_VOIDED, LogEntry.Kind.GAME_CORRECTED, LogEntry.Kind.GAME_RESTORED)
#: Kinds of entries that may have a line in the trail, or rows that later ones are compared with.
READ_KINDS = [*(kind.value for kind in ChangeKind if not kind.startswith("season.")), *GAME_KINDS]
#: Settings of which a change after the start is in the trail, and their names in remarks.
SETTINGS = {name: name.replace("tie_", "tie-").replace("_", " ").capitalize() for name in REGULATED}
#: Formats whose rounds are paired by rules, so that a fixture that is added is a pairing by hand.
PAIRED_FORMATS = ("swiss", "tables")
Row = Mapping[str, Any]


class TrailKind(NamedTuple):
    """A kind of change: its key, and how remarks of tournament reports begin."""

    key: str
    remark: str


IMPORT, PAIRING, RESULT = TrailKind("import", "Import"), TrailKind("pairing", "MPA"), TrailKind("result", "Correction")
POINTS, ADJOURNED = TrailKind("points", "Points decided"), TrailKind("adjourned", "Adjournment")
FULL_BYE, ADDED, SETTING = TrailKind("full_bye", "FPB"), TrailKind("added", ""), TrailKind("setting", "Settings")
REPORTED = TrailKind("reported", "Correction")
EXPELLED = TrailKind("expelled", "Expulsion")
LEFT = TrailKind("left", "FIDE mode left")


@dataclass(frozen=True)
class TrailLine:
    """A change: its round (0: before the first), whom it is about, and values before and after.

    ``entries``: numbers, of the fixture or the entry. ``old`` and ``new``: the entries that were paired, or texts.
    """

    kind: TrailKind
    at: datetime
    by: str
    round: int
    entries: tuple[int, ...] = ()
    old: Any = ""
    new: Any = ""
    reason: str = ""

    @property
    def remark(self) -> str:
        """The text of its line in a tournament report, "" if other lines of the report have it."""
        if not self.kind.remark:
            return ""
        subject, old, new = (_join(value) for value in (self.entries, self.old, self.new))
        words = f"{new} instead of {old}" if old and new else new or (f"without {old}" if old else "")
        text = " ".join(part for part in (subject, words) if part)
        return f"{self.kind.remark} @ Round {self.round}" + (f": {text}" if text else "")


def _join(value: Any) -> str:
    """Return entries as White's and Black's numbers, a text as it is."""
    return "-".join(map(str, value)) if isinstance(value, tuple) else str(value)


def load_trail(loaded: LoadedCompetition) -> list[TrailLine]:
    """Return what was changed by hand in a competition, in the order of time; of hidden rounds nothing."""
    competition = loaded.competition
    found = LogEntry.objects.filter(
        league=competition.league_id, kind__in=READ_KINDS, at__gte=competition.created_at
    ).order_by("position")
    entries = [entry for entry in found.iterator(chunk_size=500) if _concerns(entry, competition.slug)]
    opened = open_payloads(competition.league, [entry.payload for entry in entries])
    walk = _TrailWalk(competition, _load_results(competition))
    lines = [line for entry, one in zip(entries, opened, strict=True) for line in walk.read(entry, one.payload)]
    hidden = {number for number in walk.rounds if number not in loaded.rounds}
    return [line for line in lines if line.round not in hidden or line.kind is IMPORT]


def was_paired_by_hand(loaded: LoadedCompetition, number: int) -> bool:
    """Return whether an arbiter changed who meets whom in a round since it was made."""
    made_at = loaded.rounds[number].made_at
    return any(one.kind is PAIRING and one.round == number and one.at >= made_at for one in load_trail(loaded))


def _concerns(entry: LogEntry, slug: str) -> bool:
    """Return whether an entry is about a competition, or about a game, without parsing it."""
    return entry.kind in GAME_KINDS or f'"competition":{json.dumps(slug)}' in entry.payload


class GameOfFixture(NamedTuple):
    """A version of the game of a fixture: the fixture's number, round and entries, and the result."""

    round: int
    entries: tuple[int, ...]
    result: str


def _load_results(competition: Competition) -> dict[int, GameOfFixture]:
    """Return number -> each version of the games of a competition."""
    fixtures = Fixture.objects.filter(competition=competition, league=competition.league_id, game__isnull=False)
    seats: dict[int, list[int]] = {}
    rounds: dict[int, int] = {}
    for key, number, entry in fixtures.order_by("seats__seat").values_list(
        "game__order_key", "round__number", "seats__entry__number"
    ):
        seats.setdefault(key, []).append(entry)
        rounds[key] = number or 0
    versions = Game.objects.filter(league=competition.league_id, order_key__in=seats)
    several = versions.filter(order_key__in=versions.filter(voided_at__isnull=False).values("order_key"))
    lines: dict[int, list[Result]] = {}
    for line in Result.objects.filter(game__in=several).select_related("game").order_by("seat"):
        lines.setdefault(line.game.number, []).append(line)
    return {
        number: GameOfFixture(rounds[key], tuple(seats[key]), _format_result(some))
        for number, some in lines.items()
        for key in [some[0].game.order_key]
    }


def _format_result(lines: list[Result]) -> str:
    """Return the result of a game by its scores, else by its places."""
    scores = [line.score for line in lines]
    if any(score is None for score in scores):
        return "-".join(str(line.place) for line in lines)
    return "-".join("1/2" if score == 0.5 else f"{score:g}" for score in scores)


@dataclass
class _TrailWalk:
    """Reads the entries of a competition in order, and keeps the rows that later ones are compared with."""

    competition: Competition
    games: Mapping[int, GameOfFixture]
    settings: Row = field(default_factory=dict)
    fixtures: dict[int, Row] = field(default_factory=dict)
    entries: dict[int, Row] = field(default_factory=dict)
    rounds: set[int] = field(default_factory=set)
    imported_at: datetime | None = None

    def read(self, entry: LogEntry, payload: Row) -> list[TrailLine]:
        """Return the lines of an entry."""
        if entry.kind in GAME_KINDS:
            return list(self._read_game(entry, payload))
        removed = payload.get("removed", {})
        for number in removed.get("fixtures", ()):
            self.fixtures.pop(number, None)
        for number in removed.get("entries", ()):
            self.entries.pop(number, None)
        self.rounds |= {row["round"] for row in payload.get("rounds", ())}
        if payload.get("file", {}).get("sha256"):
            self.imported_at = entry.at
        lines = list(self._list_lines(entry, payload))
        self.settings = payload.get("settings", self.settings)
        self.fixtures |= {row["fixture"]: row for row in payload.get("fixtures", ())}
        self.entries |= {row["entry"]: row for row in payload.get("entries", ())}
        return lines

    def _list_lines(self, entry: LogEntry, payload: Row) -> Iterator[TrailLine]:
        about = {"at": entry.at, "by": entry.by, "reason": payload.get("reason", "")}
        if entry.at == self.imported_at:
            # A file has several entries, those of the rounds with the others that it brings.
            if payload.get("rounds"):
                yield TrailLine(IMPORT, round=max(row["round"] for row in payload["rounds"]), **about)
            return
        if "settings" in payload and self.settings:
            yield from self._compare_settings(payload["settings"], about)
        if entry.kind == ChangeKind.FIXTURE_CHANGED:
            for row in payload["fixtures"]:
                yield from _compare_fixtures(self.fixtures.get(row["fixture"], row), row, about)
        if entry.kind == ChangeKind.FIXTURE_ADDED and self.competition.format in PAIRED_FORMATS:
            for row in payload["fixtures"]:
                yield TrailLine(PAIRING, round=row["round"] or 0, new=_list_entries(row), **about)
        if entry.kind in (ChangeKind.ENTRY_ADDED, ChangeKind.ENTRY_CHANGED):
            for row in payload["entries"]:
                yield from _compare_entries(self.entries.get(row["entry"], {}), row, max(self.rounds, default=0), about)

    def _compare_settings(self, new: Row, about: dict[str, Any]) -> Iterator[TrailLine]:
        old, last = self.settings, max(self.rounds, default=0)
        if new.get("regulations_left") is not None and old.get("regulations_left") is None:
            yield TrailLine(LEFT, round=new["regulations_left"], **about)
        for name, title in SETTINGS.items():
            if old["status"] == Competition.Status.RUNNING and _differs(old.get(name), new.get(name)):
                kind = TrailKind("setting", title)
                yield TrailLine(kind, round=last, old=_write(old.get(name)), new=_write(new.get(name)), **about)

    def _read_game(self, entry: LogEntry, payload: Row) -> Iterator[TrailLine]:
        before = self.games.get(payload["number"])
        if before is None:
            return
        number = payload.get("game", {}).get("number")
        after = self.games.get(number)
        result = after.result if after is not None else "void"
        if number is None or result != before.result or entry.kind == LogEntry.Kind.GAME_RESTORED:
            old = "void" if entry.kind == LogEntry.Kind.GAME_RESTORED else before.result
            yield TrailLine(
                RESULT, entry.at, entry.by, before.round, before.entries, old, result, payload.get("reason", "")
            )


def _differs(old: Any, new: Any) -> bool:
    """Return whether a setting was changed; a member that it did not have before got its default."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return any(old.get(name, value) != value for name, value in new.items())
    return bool(old != new)


def _write(value: Any) -> str:
    """Return the value of a setting as a text."""
    if isinstance(value, list):
        return ",".join(map(str, value))
    if isinstance(value, Mapping):
        return ",".join(f"{name}={one}" for name, one in value.items())
    return "" if value is None else str(value)


def _list_entries(row: Row) -> tuple[int, ...]:
    return tuple(seat["entry"] for seat in row["seats"])


def _compare_fixtures(old: Row, new: Row, about: dict[str, Any]) -> Iterator[TrailLine]:
    """Yield what an arbiter changed in a fixture: who meets, whether it is played, its points, an adjournment."""
    shared = {"round": new["round"] or 0, **about}
    before, after = _list_entries(old), _list_entries(new)
    is_off = (bool(old.get("cancelled_at")), bool(new.get("cancelled_at")))
    if before != after or is_off[0] != is_off[1]:
        yield TrailLine(PAIRING, old="" if is_off[0] else before, new="" if is_off[1] else after, **shared)
    if new.get("adjourned") and not old.get("adjourned"):
        yield TrailLine(ADJOURNED, entries=after, **shared)
    if (reported := new.get("reported", "")) != old.get("reported", ""):
        text = f"{reported} in the report alone" if reported else "as it was"
        yield TrailLine(REPORTED, entries=after, new=text, **shared)
    points = [tuple(seat["points"] or "" for seat in row["seats"]) for row in (old, new)]
    if before == after and points[0] != points[1]:
        old_points, new_points = ("" if not any(one) else tuple(value or "-" for value in one) for one in points)
        yield TrailLine(POINTS, entries=after, old=old_points, new=new_points, **shared)


def _compare_entries(old: Row, new: Row, last: int, about: dict[str, Any]) -> Iterator[TrailLine]:
    """Yield what an arbiter gave an entry or took back: full-point byes, points, its expulsion after the last round."""
    entries = (new["entry"],)
    for bye, is_given in _list_differences(old.get("byes", ()), new["byes"]):
        if bye["kind"] == Fixture.Kind.FULL_BYE:
            yield TrailLine(FULL_BYE, round=bye["round"], entries=entries, old="" if is_given else bye["kind"], **about)
    for one, is_given in _list_differences(old.get("added_points", ()), new.get("added_points", ())):
        values = {"new": one["points"], "reason": one["reason"]} if is_given else {"old": one["points"]}
        yield TrailLine(ADDED, round=one["round"], entries=entries, **{**about, **values})
    before, after = ("expelled" if row.get("expelled") else "" for row in (old, new))
    if before != after:
        yield TrailLine(EXPELLED, round=last, entries=entries, old=before, **about)


def _list_differences(old: Sequence[Row], new: Sequence[Row]) -> list[tuple[Row, bool]]:
    """Return the rows that only one of two lists has, and whether it is the new one."""
    return [*((one, False) for one in old if one not in new), *((one, True) for one in new if one not in old)]
