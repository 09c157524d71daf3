"""The trail of a competition: what an arbiter changed by hand, read from the league's log."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from fractions import Fraction
from itertools import takewhile
from typing import Any, NamedTuple

from django.db.models import Q

from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import Competition, Fixture, Round
from league.apps.competitions.records import KINDS
from league.apps.competitions.selectors.competition_data import (
    GameLines,
    LoadedCompetition,
    ResultLine,
    build_played_seats,
)
from league.apps.competitions.selectors.competitions import REGULATED
from league.apps.competitions.selectors.result_texts import write_entered, write_places
from league.core.log.selectors.log_decode import open_payloads
from league.models import Game, LogEntry, Result
from ratings.contract.competition import FixtureData, PointsTable, Seat
from ratings.trf import remarks

#: Kinds of entries that change games that were recorded.
GAME_KINDS = (LogEntry.Kind.GAME_VOIDED, LogEntry.Kind.GAME_CORRECTED, LogEntry.Kind.GAME_RESTORED)
#: Kinds of entries that may have a line in the trail, or rows that later ones are compared with.
READ_KINDS = [*KINDS, *GAME_KINDS]
#: Settings of which a change after the start is in the trail, and their names in remarks.
SETTINGS = {name: name.replace("tie_", "tie-").replace("_", " ").capitalize() for name in REGULATED}
#: Formats whose rounds are paired by rules, so that a fixture that is added is a pairing by hand.
PAIRED_FORMATS = ("swiss", "tables")
Row = Mapping[str, Any]


class TrailKind(NamedTuple):
    """A kind of change: its key, and how remarks of tournament reports begin."""

    key: str
    remark: str


IMPORT, SETTING = TrailKind("import", "Import"), TrailKind("setting", "Settings")
PAIRING, RESULT = TrailKind("pairing", remarks.PAIRING), TrailKind("result", remarks.CORRECTION)
POINTS, ADJOURNED = TrailKind("points", remarks.POINTS), TrailKind("adjourned", remarks.ADJOURNMENT)
FULL_BYE, ADDED = TrailKind("full_bye", remarks.FULL_BYE), TrailKind("added", remarks.ADDED_POINTS)
REPORTED, EXPELLED = TrailKind("reported", remarks.CORRECTION), TrailKind("expelled", remarks.EXPULSION)
LEFT = TrailKind("left", "FIDE mode left")
NUMBERS = TrailKind("numbers", remarks.NUMBERS)
#: Reports have the result that counts.
ENTERED = TrailKind("entered", "")
#: Reports say it by the results that are missing.
WITHDRAWN = TrailKind("withdrawn", "")


@dataclass(frozen=True)
class TrailResult:
    """A result of a game: its scores or places, and its outcome as remarks of reports have it."""

    text: str
    outcome: str

    def __str__(self) -> str:
        return self.text


NO_RESULT = TrailResult(remarks.VOID, remarks.VOID)


@dataclass(frozen=True)
class TrailLine:
    """A change: its round (0: before the first), whom it is about, and values before and after.

    ``entries``: numbers, of the fixture or the entry. ``old`` and ``new``: the entries that were paired, results, or
    texts. ``meeting``: the kind of the fixture. ``own``: the points of the result, if only an
    arbiter gives it. ``ended_at``: of an adjournment, the time of the first result, which may be void since.
    """

    kind: TrailKind
    at: datetime
    by: str
    round: int
    entries: tuple[int, ...] = ()
    old: Any = ""
    new: Any = ""
    reason: str = ""
    meeting: str = ""
    own: tuple[Fraction | None, ...] = ()
    ended_at: datetime | None = None
    fixture: int = 0

    @property
    def game(self) -> tuple[int, tuple[int, ...]]:
        """The round and the entries of the game that it is about."""
        return self.round, self.entries


def load_trail(loaded: LoadedCompetition) -> list[TrailLine]:
    """Return what was changed by hand in a competition, in the order of time; of hidden rounds nothing."""
    competition = loaded.competition
    # The database leaves out what is about other competitions; it may find more, as it may not tell A from a.
    concerned = Q(kind__in=GAME_KINDS) | Q(payload__contains=_write_slug(competition.slug))
    found = LogEntry.objects.filter(
        concerned, league=competition.league_id, kind__in=READ_KINDS, at__gte=competition.created_at
    ).order_by("position")
    entries = [entry for entry in found.iterator(chunk_size=500) if _concerns(entry, competition.slug)]
    opened = open_payloads(competition.league, [entry.payload for entry in entries])
    walk = _TrailWalk(loaded, *_load_games(competition.league_id, entries, [one.payload for one in opened]))
    read = [line for entry, one in zip(entries, opened, strict=True) for line in walk.read(entry, one.payload)]
    lines = [replace(line, ended_at=walk.find_end(line)) if line.kind is ADJOURNED else line for line in read]
    hidden = {number for number in walk.rounds if number not in loaded.rounds}
    return [line for line in lines if line.round not in hidden or line.kind is IMPORT]


def list_adjourned_with(made: Round) -> list[int]:
    """Return the fixtures that became adjourned because a round was paired without their results."""
    competition = made.competition
    # Read backwards, as a log has no index of times, and little happens before a round is undone.
    log = LogEntry.objects.filter(league=made.league_id).order_by("-position").iterator(chunk_size=500)
    found = [
        entry.payload
        for entry in takewhile(lambda entry: entry.at >= made.made_at, log)
        if (entry.kind, entry.at) == (ChangeKind.FIXTURE_CHANGED, made.made_at)
    ]
    return [
        row["fixture"]
        for opened in open_payloads(competition.league, found)
        if (opened.payload["competition"], opened.payload.get("round")) == (competition.slug, made.number)
        for row in opened.payload["fixtures"]
    ]


def list_exchanges_since(loaded: LoadedCompetition, time: datetime) -> list[tuple[int, ...]]:
    """Return the entries that exchanged their numbers after a time, in the order of exchanges."""
    if loaded.competition.format != "swiss":
        return []
    return [line.entries for line in load_trail(loaded) if line.kind is NUMBERS and line.at > time]


def was_paired_by_hand(loaded: LoadedCompetition, number: int) -> bool:
    """Return whether an arbiter changed who meets whom in a round since it was made."""
    made_at = loaded.rounds[number].made_at
    return any(one.kind is PAIRING and one.round == number and one.at >= made_at for one in load_trail(loaded))


def _concerns(entry: LogEntry, slug: str) -> bool:
    """Return whether an entry is about a competition, or about a game, without parsing it."""
    return entry.kind in GAME_KINDS or _write_slug(slug) in entry.payload


def _write_slug(slug: str) -> str:
    """Return the member of a payload that names a competition."""
    return f'"competition":{json.dumps(slug)}'


def _load_games(
    league_id: int, entries: Sequence[LogEntry], payloads: Sequence[Row]
) -> tuple[dict[int, int], dict[int, GameLines]]:
    """Return number -> fixture of the games of a competition, and number -> lines of those with changes by hand."""
    fixtures: dict[int, int] = {}
    changed: set[int] = set()
    for entry, payload in zip(entries, payloads, strict=True):
        rows = [row for row in payload.get("fixtures", ()) if row.get("game")]
        fixtures |= {row["game"]: row["fixture"] for row in rows}
        changed |= {row["fixture"] for row in rows if any(seat["points"] for seat in row["seats"])}
        if entry.kind in GAME_KINDS and payload["number"] in fixtures:
            changed.add(fixtures[payload["number"]])
            if number := payload.get("game", {}).get("number"):
                fixtures[number] = fixtures[payload["number"]]
    numbers = [number for number, fixture in fixtures.items() if fixture in changed]
    games: dict[int, GameLines] = {}
    results = Result.objects.filter(league=league_id, game__number__in=numbers).select_related("game")
    for one in results.order_by("seat"):
        before = games.get(one.game.number)
        lines = (*(before.lines if before else ()), ResultLine(one.player_id, one.score, one.place))
        games[one.game.number] = GameLines(one.game.number, one.game.kind, one.game.played_at, lines)
    return fixtures, games


@dataclass
class _TrailWalk:
    """Reads the entries of a competition in order, and keeps the rows that later ones are compared with."""

    loaded: LoadedCompetition
    games: Mapping[int, int]
    lines: Mapping[int, GameLines]
    settings: Row = field(default_factory=dict)
    fixtures: dict[int, Row] = field(default_factory=dict)
    entries: dict[int, Row] = field(default_factory=dict)
    rounds: set[int] = field(default_factory=set)
    standing: set[int] = field(default_factory=set)
    voided: set[int] = field(default_factory=set)
    versions: dict[int, int | None] = field(default_factory=dict)
    imported_at: datetime | None = None
    #: Number of a game, or of a match of teams -> the number of the game, or of each board -> the times of its results.
    ends: defaultdict[int, defaultdict[int, list[datetime]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )

    def find_end(self, line: TrailLine) -> datetime | None:
        """Return when the game of a line first got a result after it, a match that of its last board; None without."""
        first = [next((at for at in times if at >= line.at), None) for times in self.ends[line.fixture].values()]
        return max((at for at in first if at is not None), default=None)

    def read(self, entry: LogEntry, payload: Row) -> list[TrailLine]:
        """Return the lines of an entry."""
        if entry.kind in GAME_KINDS:
            return list(self._read_game(entry, payload))
        removed = payload.get("removed", {})
        for number in removed.get("fixtures", ()):
            self.fixtures.pop(number, None)
        for number in removed.get("entries", ()):
            self.entries.pop(number, None)
        self.standing -= set(removed.get("rounds", ()))
        opened = {row["round"] for row in payload.get("rounds", ())}
        self.rounds |= opened
        self.standing |= opened
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
        yield from self._list_result_lines(entry, payload, about)
        if "settings" in payload and self.settings:
            yield from self._compare_settings(payload["settings"], about)
        if entry.kind == ChangeKind.FIXTURE_CHANGED:
            for row in payload["fixtures"]:
                own, old = self._find_own_points(row), self.fixtures.get(row["fixture"], row)
                number = row["fixture"]
                yield from (replace(line, own=own, fixture=number) for line in _compare_fixtures(old, row, about))
        if entry.kind == ChangeKind.FIXTURE_ADDED and self.loaded.competition.format in PAIRED_FORMATS:
            for row in payload["fixtures"]:
                new = _list_entries(row)
                yield TrailLine(PAIRING, round=row["round"] or 0, new=new, meeting=row["kind"], **about)
        if entry.kind in (ChangeKind.ENTRY_ADDED, ChangeKind.ENTRY_CHANGED):
            for row in payload["entries"]:
                yield from _compare_entries(self.entries.get(row["entry"], {}), row, self.last, about)
        if entry.kind == ChangeKind.ENTRY_CHANGED and about["reason"]:
            # Of what is changed of entries, an exchange of numbers alone has a reason.
            numbers = {row["entry"]: row.get("pairing_number") or row["entry"] for row in payload["entries"]}
            yield TrailLine(NUMBERS, round=self.last, entries=(*numbers,), new=(*numbers.values(),), **about)

    def _list_result_lines(self, entry: LogEntry, payload: Row, about: dict[str, Any]) -> Iterator[TrailLine]:
        """Yield results after voided ones, and those that were entered differently."""
        if entry.kind in (ChangeKind.FIXTURE_PLAYED, ChangeKind.FIXTURE_FORFEITED):
            for row in payload["fixtures"]:
                for number in filter(None, (row["fixture"], row.get("match"))):
                    self.ends[number][row["fixture"]].append(entry.at)
                yield from self._read_new_result(row, about)
        if entry.kind == ChangeKind.FIXTURE_ENTERED:
            for row in payload["fixtures"]:
                yield from _compare_entered(row, about)

    def _compare_settings(self, new: Row, about: dict[str, Any]) -> Iterator[TrailLine]:
        old, last = self.settings, self.last
        if new.get("regulations_left") is not None and old.get("regulations_left") is None:
            yield TrailLine(LEFT, round=new["regulations_left"], **about)
        for name, title in SETTINGS.items():
            if old["status"] == Competition.Status.RUNNING and _differs(old.get(name), new.get(name)):
                kind = TrailKind("setting", title)
                yield TrailLine(kind, round=last, old=_write(old.get(name)), new=_write(new.get(name)), **about)

    @property
    def last(self) -> int:
        """The last round that was made."""
        return max(self.standing, default=0)

    def _read_game(self, entry: LogEntry, payload: Row) -> Iterator[TrailLine]:
        row = self.fixtures.get(self.games.get(payload["number"], 0))
        if row is None:
            return
        restored, number = entry.kind == LogEntry.Kind.GAME_RESTORED, payload.get("game", {}).get("number")
        old = NO_RESULT if restored else self._find_result(row, payload["number"])
        new = self._find_result(row, number)
        self.versions[row["fixture"]] = number
        (self.voided.discard if number else self.voided.add)(row["fixture"])
        if number is None or restored or old != new:
            about = {"at": entry.at, "by": entry.by, "reason": payload.get("reason", "")}
            yield TrailLine(RESULT, round=row["round"] or 0, entries=_list_entries(row), old=old, new=new, **about)

    def _read_new_result(self, row: Row, about: dict[str, Any]) -> Iterator[TrailLine]:
        """Yield the result of a game of which another one was voided."""
        if row["fixture"] in self.voided:
            self.voided.discard(row["fixture"])
            self.versions[row["fixture"]] = row["game"]
            new = self._find_result(row, row["game"])
            yield TrailLine(
                RESULT, round=row["round"] or 0, entries=_list_entries(row), old=NO_RESULT, new=new, **about
            )

    def _find_own_points(self, row: Row) -> tuple[Fraction | None, ...]:
        """Return the points of a result that only an arbiter gives, by the table of that time; none of others."""
        result = self._find_result(row, self.versions.get(row["fixture"], row["game"]))
        if result.outcome not in remarks.AWARDED:
            return ()
        points = {name: one for name, one in self.settings.get("points", {}).items() if name != "places"}
        game = remarks.read_result(result.outcome, _list_entries(row), PointsTable.from_json(points))
        return tuple(seat.points for seat in game.seats) if game else ()

    def _find_result(self, row: Row, number: int | None) -> TrailResult:
        """Return the result of a version of the game of a fixture."""
        game = None if number is None else self.lines.get(number)
        return NO_RESULT if game is None else build_result(self.loaded, _list_entries(row), game)


def build_result(loaded: LoadedCompetition, entries: Sequence[int], game: GameLines) -> TrailResult:
    """Return the result of a game of some entries, without points that an arbiter decided."""
    seats = build_played_seats([Seat(entry) for entry in entries], game, loaded.people, loaded)
    if seats is None:
        return NO_RESULT
    is_forfeit = game.kind == Game.Kind.FORFEIT
    if is_forfeit and len(seats) == 2:
        text = "-".join("1F" if seat.place == 1 else "0F" for seat in seats)
    elif any(seat.score is None for seat in seats):
        text = write_places([seat.place for seat in seats])
    else:
        text = "-".join("1/2" if seat.score == Fraction(1, 2) else f"{float(seat.score or 0):g}" for seat in seats)
    data = FixtureData(seats, "forfeit" if is_forfeit else "played")
    return TrailResult(text, remarks.write_result(data, loaded.data.points) if len(seats) == 2 else text)


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
        old_pair, new_pair = "" if is_off[0] else before, "" if is_off[1] else after
        yield TrailLine(PAIRING, old=old_pair, new=new_pair, meeting=new["kind"], **shared)
    # Boards are adjourned with their match.
    if bool(new.get("adjourned")) != bool(old.get("adjourned")) and not new.get("match"):
        yield TrailLine(ADJOURNED, entries=after, old="" if new["adjourned"] else "adjourned", **shared)
    if (reported := new.get("reported", "")) != old.get("reported", ""):
        text = reported + remarks.REPORT_ALONE if reported else "as it was"
        yield TrailLine(REPORTED, entries=after, new=text, **shared)
    points = [tuple(seat["points"] or "" for seat in row["seats"]) for row in (old, new)]
    if before == after and points[0] != points[1]:
        old_points, new_points = ("" if not any(one) else tuple(value or "-" for value in one) for one in points)
        yield TrailLine(POINTS, entries=after, old=old_points, new=new_points, **shared)


def _compare_entered(row: Row, about: dict[str, Any]) -> Iterator[TrailLine]:
    """Yield the values of a result that was entered twice, differently."""
    texts = [write_entered(one) for one in row.get("entered", ())]
    if len(texts) > 1:
        old, new = ", ".join(texts[:-1]), texts[-1]
        yield TrailLine(ENTERED, round=row["round"] or 0, entries=_list_entries(row), old=old, new=new, **about)


def _compare_entries(old: Row, new: Row, last: int, about: dict[str, Any]) -> Iterator[TrailLine]:
    """Yield what an arbiter gave an entry or took back, and that it left: expelled, or withdrawn after a round."""
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
    elif (old.get("withdrawn_after") is None) != (new.get("withdrawn_after") is None):
        back = "withdrawn" if new["withdrawn_after"] is None else ""
        yield TrailLine(WITHDRAWN, round=last, entries=entries, old=back, **about)


def _list_differences(old: Sequence[Row], new: Sequence[Row]) -> list[tuple[Row, bool]]:
    """Return the rows that only one of two lists has, and whether it is the new one."""
    return [*((one, False) for one in old if one not in new), *((one, True) for one in new if one not in old)]
