"""Whatever is recorded, corrected, restored, merged, ruled, closed or imported, in any order: plain Python agrees.

The other side is ``tests/helpers/oracle.py``, which shares no line with the product. After every operation all is
compared: what was refused, ratings, history, the board's order, editions, the log's chain; at the end ``verify``.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from io import BytesIO
from random import Random
from typing import Any

import pytest

from league.apps.imports.services.run import ImportOptions, import_games
from league.core.dispatch import sweep
from league.core.errors import RungsError
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import correct_game, record_game, restore_game, void_game
from league.core.ladders.services.decisions import close_period, reopen_period
from league.core.leagues.services.leagues import adopt_rule
from league.core.players.services.merges import merge_players, unmerge_player
from league.core.players.services.players import set_initial_rating
from league.core.verify.run import verify_league
from league.models import Edition, Game, League, LogEntry, Rating, RatingChange
from tests.helpers import oracle
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, player_of
from tests.helpers.ladder_builders import make_ladder
from tests.helpers.tiers import examples, long_way

pytestmark = [
    pytest.mark.engine,
    pytest.mark.django_db,
    pytest.mark.uncounted("Drawn operations; each of them is held line by line by tests of its own."),
]
PLAYERS = ("anna", "ben", "cleo", "dan", "eve", "finn", "gus", "hana")
BEGIN = datetime(2024, 1, 1, tzinfo=UTC)
MONTHS = tuple(f"2024-{number:02}" for number in range(1, 6))
OPERATIONS = 60
ACTS = (
    "record", "record", "record", "record", "late", "late", "late", "same time", "correct", "correct", "void",
    "restore", "restore", "merge", "unmerge", "rule", "start", "close", "close", "reopen", "import", "again",
)  # fmt: skip
#: Two computations in different orders of addition agree to this, in points of rating.
CLOSE = 1e-7


@dataclass
class Trial:
    """A league and the oracle of its books, both told the same."""

    league: League
    random: Random
    books: oracle.Books
    said: list[str] = field(default_factory=list)
    counted: Counter[str] = field(default_factory=Counter)
    frozen: dict[tuple[str, int], str] = field(default_factory=dict)
    before: int = 0
    """Entries of the log when the books were opened."""
    newest: datetime = BEGIN
    begun: list[datetime] = field(
        default_factory=lambda: [datetime(2024, month, 1, tzinfo=UTC) for month in range(1, 6)]
    )
    """When months begin, and rules that were adopted."""
    imported: list[tuple[datetime, list[oracle.Line], str]] = field(default_factory=list)

    def both(self, what: str, real: Callable[[], Any], told: Callable[[], Any]) -> None:
        """Do something to the league and tell the oracle; both do it, or both refuse."""
        self.said.append(what)
        refused = ""
        try:
            told()
        except oracle.Refused as error:
            refused = str(error)
        length = LogEntry.objects.filter(league=self.league).count()
        if not refused:
            real()
            self.counted[what.split(maxsplit=1)[0]] += 1
            return
        with suppress(RungsError):
            real()
            raise AssertionError(f"{what} is to be refused: {refused}")
        self.counted["refused"] += 1
        assert LogEntry.objects.filter(league=self.league).count() == length

    # --- drawing -----------------------------------------------------------------------------------------------

    def sheet(self) -> list[oracle.Line]:
        """Draw a table, at times with somebody on it twice by two names."""
        names = self.random.sample(PLAYERS, self.random.choice([2, 2, 2, 3, 4]))
        return [(name, float(self.random.randint(0, 3))) for name in names]

    def moment(self, act: str) -> datetime:
        """Draw when a game was played."""
        taken = sorted({game.at for game in self.books.games.values()})
        if act == "same time" and taken:
            return self.random.choice(taken)
        if act == "record":
            self.newest += timedelta(minutes=self.random.randint(1, 4000))
            return self.newest
        if self.random.random() < 0.2:
            # To the second when a month or a rule begins.
            return self.random.choice(self.begun)
        return BEGIN + timedelta(minutes=self.random.randint(0, 5 * 30 * 24 * 60))

    def number(self) -> int:
        """Draw a game, at times one that is not there."""
        return self.random.randint(1, len(self.books.games) + 1)

    # --- operations --------------------------------------------------------------------------------------------

    def act(self, act: str) -> None:
        """Do one operation."""
        method = {"late": "record", "same time": "record"}.get(act, act)
        getattr(self, f"do_{method}")(act)

    def do_record(self, act: str) -> None:
        """Record a game."""
        at, lines, rated = self.moment(act), self.sheet(), self.random.random() < 0.9
        self.both(
            f"{act} {at} {lines} {rated}",
            lambda: record_game(self.league.pk, new(at, lines, rated), by="olga"),
            lambda: self.books.record(at, lines, rated=rated),
        )

    def do_correct(self, act: str) -> None:
        """Correct a game, often without moving it."""
        number, lines, rated = self.number(), self.sheet(), self.random.random() < 0.9
        there = self.books.games.get(number)
        at = there.at if there and self.random.random() < 0.7 else self.moment("late")
        self.both(
            f"{act} {number} {at} {lines} {rated}",
            lambda: correct_game(self.league.pk, number, new(at, lines, rated), reason="misread", username="olga"),
            lambda: self.books.correct(number, at, lines, rated=rated),
        )

    def do_void(self, act: str) -> None:
        """Void a game."""
        number = self.number()
        self.both(
            f"{act} {number}",
            lambda: void_game(self.league.pk, number, reason="friendly", username="olga"),
            lambda: self.books.void(number),
        )

    def do_restore(self, act: str) -> None:
        """Restore a game, mostly one that is void."""
        void = [game.number for game in self.books.games.values() if not game.counts]
        number = self.random.choice(void) if void and self.random.random() < 0.8 else self.number()
        self.both(
            f"{act} {number}",
            lambda: restore_game(self.league.pk, number, reason="it was played", username="olga"),
            lambda: self.books.restore(number),
        )

    def do_merge(self, act: str) -> None:
        """Merge two players."""
        one, other = self.random.sample(PLAYERS, 2)
        self.both(
            f"{act} {one} {other}",
            lambda: merge_players(player_of(one), player_of(other), username="olga"),
            lambda: self.books.merge(one, other),
        )

    def do_unmerge(self, act: str) -> None:
        """Take a merge back."""
        one = self.random.choice([*self.books.merged, self.random.choice(PLAYERS)])
        self.both(
            f"{act} {one}", lambda: unmerge_player(player_of(one), username="olga"), lambda: self.books.unmerge(one)
        )

    def do_rule(self, act: str) -> None:
        """Adopt a rule from a day on."""
        day = date(2024, 1, 1) + timedelta(days=self.random.randint(0, 150))
        k, games, first = self.random.randint(8, 64), self.random.choice([0, 3]), self.random.randint(20, 80)
        given = {"k": k, "provisional_games": games, "provisional_k": first}
        self.begun.append(datetime(day.year, day.month, day.day, tzinfo=UTC))
        self.both(
            f"{act} {day} {given}",
            lambda: adopt_rule(self.league.pk, "elo", given, day, username="olga"),
            lambda: self.books.rule(day, k, games, first),
        )

    def do_start(self, act: str) -> None:
        """Set an initial rating."""
        one = self.random.choice([name for name in PLAYERS if name not in self.books.merged])
        rating = float(self.random.randint(1200, 1800))
        self.both(
            f"{act} {one} {rating}",
            lambda: set_initial_rating(self.league.pk, player_of(one), rating, username="olga"),
            lambda: self.books.start(one, rating),
        )

    def do_close(self, act: str) -> None:
        """Close a month."""
        month = self.random.choice(MONTHS)
        self.both(
            f"{act} {month}",
            lambda: self.publish(month),
            lambda: self.books.close(month),
        )

    def publish(self, month: str) -> None:
        """Publish a month, and keep what its edition says."""
        edition = close_period(self.league.pk, "month", month, reason="it is time", username="olga")
        self.frozen[month, edition.number] = edition.document
        told = json.loads(edition.document)
        inside = [one for one in self.books.games.values() if one.counts and one.rated and f"{one.at:%Y-%m}" == month]
        assert told["games"] == len(inside)
        rows = told["standings"]
        said = [(row["rank"], row["player"], row["score"], row["games"]) for row in rows]
        assert said == self.books.editions[month][-1]
        assert edition.number == len(self.books.editions[month])
        assert hashlib.sha256(edition.document.encode()).hexdigest() == edition.sha256

    def do_reopen(self, act: str) -> None:
        """Open a month again."""
        month = self.random.choice([*self.books.closed, *MONTHS])
        self.both(
            f"{act} {month}",
            lambda: reopen_period(self.league.pk, "month", month, reason="late", username="olga"),
            lambda: self.books.reopen(month),
        )

    def do_import(self, act: str) -> None:
        """Import a file of some games."""
        games = [
            (self.moment("late"), self.sheet(), f"{len(self.books.games)}-{line}")
            for line in range(self.random.randint(1, 6))
        ]
        self.bring(act, games)

    def do_again(self, act: str) -> None:
        """Import a file, or the end of one, that came before."""
        untouched = {one.external: one for one in self.books.games.values() if one.external and one.counts}
        numbers = {game.external: game.number for game in untouched.values()}
        first = [one for one in self.imported if one[2] in numbers and self.as_it_came(untouched[one[2]], one)]
        if first:
            self.bring(act, self.random.sample(first, min(3, len(first))))

    def as_it_came(self, game: oracle.Game, one: tuple[datetime, list[oracle.Line], str]) -> bool:
        """Tell whether a game says what its line of the file said, and nobody on it was merged."""
        names = {name for name, _ in game.lines}
        merges = {*self.books.merged, *self.books.merged.values()}
        return game.at == one[0] and list(game.lines) == one[1] and not names & merges

    def bring(self, act: str, games: list[tuple[datetime, list[oracle.Line], str]]) -> None:
        """Import a file, all of it or nothing."""
        lines = [
            {
                "played_at": f"{at:%Y-%m-%dT%H:%M:%SZ}",
                "external_id": name,
                "results": [{"player": player, "score": score} for player, score in sheet],
            }
            for at, sheet, name in games
        ]
        data = "\n".join(map(json.dumps, lines)).encode()

        def told() -> None:
            for _, sheet, _name in games:
                self.books.seated(sheet)
            for at, sheet, name in games:
                self.books.record(at, sheet, rated=True, external=name)
            self.imported += games

        options = ImportOptions(by="olga", media="ndjson")
        self.both(f"{act} {games}", lambda: import_games(self.league.pk, BytesIO(data), options), told)

    # --- comparing ---------------------------------------------------------------------------------------------

    def compare(self, api: Api) -> None:
        """Demand that all that the product says is what the oracle says."""
        sweep.run_due_replay(self.league.pk)
        self.compare_history()
        self.compare_board(api)
        self.compare_editions()
        self.compare_log()

    def compare_history(self) -> None:
        """Compare games, ratings and history."""
        counts = {number: game.counts for number, game in self.books.games.items()}
        found = Game.objects.filter(league=self.league)
        assert {number: at is None for number, at in found.values_list("number", "voided_at")} == counts
        told: dict[str, list[oracle.Step]] = {}
        rows = RatingChange.objects.filter(league=self.league).order_by("player__handle", "games")
        for name, number, games, *around in rows.values_list("player__handle", "number", "games", "before", "after"):
            told.setdefault(name, []).append(oracle.Step(number, games, *around))
        wanted = self.books.history()
        assert {name: [(one.number, one.games) for one in steps] for name, steps in told.items()} == {
            name: [(one.number, one.games) for one in steps] for name, steps in wanted.items()
        }
        for name, steps in wanted.items():
            for mine, theirs in zip(steps, told[name], strict=True):
                assert (theirs.before, theirs.after) == pytest.approx((mine.before, mine.after), rel=0, abs=CLOSE)
        ratings = dict(Rating.objects.filter(league=self.league).values_list("player__handle", "rating"))
        assert ratings == {name: steps[-1].after for name, steps in told.items()}

    def compare_board(self, api: Api) -> None:
        """Compare who stands where on the board, as anybody reads it."""
        wanted = {name: steps[-1].after for name, steps in self.books.history().items()}
        rows = api.get(f"leagues/{self.league.slug}/leaderboard/").json()["results"]
        assert {row["player"]: row["rating"] for row in rows} == pytest.approx(wanted, rel=0, abs=CLOSE)
        for index, row in enumerate(rows):
            above = sum(rating > wanted[row["player"]] + CLOSE for rating in wanted.values())
            beside = sum(abs(rating - wanted[row["player"]]) <= CLOSE for rating in wanted.values())
            assert above < row["rank"] <= above + beside
            assert above <= index < above + beside

    def compare_editions(self) -> None:
        """Demand that there are the editions that were published, and that none has changed."""
        found = Edition.objects.filter(ladder__league=self.league)
        assert {(one.key, one.number): one.document for one in found} == self.frozen
        assert {month: len(said) for month, said in self.books.editions.items() if said} == dict(
            Counter(month for month, _ in self.frozen)
        )

    def compare_log(self) -> None:
        """Demand one entry for each change, chained by the hash of all that it says and of the hash before it."""
        entries = LogEntry.objects.filter(league=self.league).order_by("position")
        previous, count = "0" * 64, 0
        for count, one in enumerate(entries, start=1):
            said = (
                f'{{"at":"{one.at:%Y-%m-%dT%H:%M:%S.%fZ}","by":{json.dumps(one.by)},"kind":"{one.kind}",'
                f'"payload":{one.payload},"position":{count},"previous":"{previous}"}}'
            )
            assert hashlib.sha256(said.encode()).hexdigest() == one.sha256
            previous = one.sha256
        assert count == self.before + self.books.logged


def new(at: datetime, lines: list[oracle.Line], rated: bool) -> NewGame:
    """Return a sheet for the services."""
    results = [NewResult(player, score, None) for player, score in lines]
    return NewGame(results=results, played_at=at, kind="played" if rated else "friendly")


@long_way
@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("seed", range(examples(4)))
def test_the_books_are_what_plain_python_says(seed: int, settings: Any) -> None:
    random = Random(seed)
    # Half of the trials leave late games to a worker, who comes before anybody looks.
    settings.RUNGS_INLINE_GAMES = random.choice([0, settings.RUNGS_INLINE_GAMES])
    league = make_league(players=PLAYERS, parameters={"k": 32})
    make_ladder(league)
    league.refresh_from_db()
    books = oracle.Books([oracle.Rule(datetime(1, 1, 1, tzinfo=UTC), 32.0, 0, 40.0)])
    trial, api = Trial(league, random, books, before=league.log_length), Api("read", name=f"reader {seed}")
    for _ in range(OPERATIONS):
        trial.act(random.choice(ACTS))
        try:
            trial.compare(api)
        except AssertionError:
            print(f"Seed {seed}, after these operations:", *trial.said, sep="\n  ")
            raise
    assert verify_league(league.pk).differences == []
    print(f"Seed {seed}:", dict(trial.counted))
    assert sum(trial.counted.values()) >= OPERATIONS - 10
