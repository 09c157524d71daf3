"""Games that are sent together: usual ones that are the newest are recorded by columns, all others one by one.

Its specification is ``recording.batch.record_batch``, which records each of them alone: what stands in the books
afterwards, and what is answered, is the same to the last bit.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import isnan
from typing import Any

import numpy as np

from league.db.statements import among
from league.errors import Invalid, Refused
from league.models import Alias, Game, InitialRating, League, Rating
from league.names import key_of, storable
from league.selectors.games import bearing
from league.selectors.permissions import Viewer
from league.selectors.players.find import spellings
from league.selectors.rules import rules_of
from league.selectors.seasons import turns_between
from league.services.imports.columns import HIGHEST_PLACE, Batch
from league.services.imports.fast import surely_good
from league.services.imports.files import NOTHING, Block
from league.services.imports.log_lines import Teller
from league.services.imports.rate_first import log_of
from league.services.imports.write import Facts
from league.services.locking import with_league_lock
from league.services.log import write as log
from league.services.recording.batch import Refusal, recorded_or_refused
from league.services.recording.game_input import NewGame, check_form, check_time, refused_by, unsigned
from league.services.recording.games import Recorded
from league.services.recording.worksheets import has_worksheet
from league.services.replay.between import comes_between
from league.services.replay.compute import Known, Replay, states_before
from league.services.replay.history import Lines, read_history
from league.services.replay.inline import write_lines
from league.services.replay.states import newest_position
from ratings.run.replay import NAN

#: From so many games on it is quicker to record them by columns.
FEWEST = 4
#: What is told of each line of a game that was rated.
FIGURES = ("before", "after", "change", "games", "performance")


@dataclass(frozen=True, slots=True)
class Named:
    """A player as answers and the log call them."""

    pk: int
    handle: str
    name: str
    opaque: str


@dataclass(frozen=True, slots=True)
class Rated:
    """A game that was recorded with others and is rated, as it stands."""

    number: int
    sheet: NewGame
    """As it is in the books, ``played_at`` in UTC."""
    recorded_at: datetime
    recorded_by: str
    players: Sequence[Named]
    figures: Sequence[tuple[Any, ...]]
    """FIGURES of each line in seat order."""


@dataclass(frozen=True, slots=True)
class Usual:
    """A game that nothing can refuse, and who sits in it."""

    sheet: NewGame
    players: Sequence[Named]


Outcome = Recorded | Rated | Refusal


def record_together(league_id: int, games: Sequence[NewGame], *, by: str) -> list[Outcome]:
    """Record games in the order sent, in one transaction; returns what became of each.

    Raises Busy or what else is the database's; then nothing was written.
    """

    def work(league: League, now: datetime) -> list[Outcome]:
        return Together(league, now, by).record(games)

    return with_league_lock(league_id, work)


class Together:
    """Games on their way into the books of a league, which must be locked."""

    def __init__(self, league: League, now: datetime, by: str) -> None:
        self.league, self.now, self.by = league, now, by
        self.rules = rules_of(league)

    def record(self, games: Sequence[NewGame]) -> list[Outcome]:
        """Record games in this order; returns what became of each."""
        usual = self.usual_ones(games) if len(games) >= FEWEST else [None] * len(games)
        ends, replays = run_ends(usual), self.league.replays
        found: list[Outcome] = []
        while len(found) < len(games):
            first = len(found)
            run = self.of_one_season([one for one in usual[first : ends[first]] if one is not None])
            if len(run) >= FEWEST and self.is_newest(run[0].sheet):
                found += self.record_run(run)
            else:
                found.append(recorded_or_refused(self.league, self.now, games[first], self.by))
        stands = self.league.stale_from is None and self.league.replays == replays
        return found if stands else self.as_recorded(found)

    def as_recorded(self, found: Sequence[Outcome]) -> list[Outcome]:
        """Return what became of games of which a late one among them has moved the figures: they must be read."""
        numbers = [one.number for one in found if isinstance(one, Rated)]
        games = {game.number: game for game in self.league.games.filter(number__in=numbers)}
        return [Recorded(games[one.number], created=True) if isinstance(one, Rated) else one for one in found]

    def usual_ones(self, games: Sequence[NewGame]) -> list[Usual | None]:
        """Return the games that nothing can refuse, None for those that must be looked at alone."""
        viewer, keys = games[0].viewer, {line.player: "" for game in games for line in game.results}
        keys = {text: key_of(text) for text in keys}
        people = self.people(keys.values(), viewer)
        called = {text: people[key] for text, key in keys.items() if key in people}
        names = Counter(game.external_id for game in games if game.external_id is not None)
        known = {game.external_id for game in bearing(self.league, list(names))} if names else set()
        found: list[Usual | None] = []
        for game in games:
            seated = [called[line.player] for line in game.results if line.player in called]
            alone = game.external_id is None or (names[game.external_id] == 1 and game.external_id not in known)
            one = len({player.pk for player in seated}) == len(game.results)
            good = alone and one and game.viewer is viewer and is_usual(game)
            found.append(Usual(self.as_kept(game), seated) if good else None)
        chosen = [one.sheet for one in found if one is not None]
        if chosen and self.surely_good(chosen):
            return found
        return [one if one is not None and self.is_good(one.sheet) else None for one in found]

    def surely_good(self, games: Sequence[NewGame]) -> bool:
        """Tell whether all games are surely well-formed, and the league's rules accept them."""
        block = block_of(games)
        return block is not None and surely_good(block, self.rules, self.now)

    def is_good(self, game: NewGame) -> bool:
        """Tell whether a game is well-formed, and the league's rules accept it, whoever its players are."""
        try:
            check_form(game)
            return not refused_by(check_time(moment_of(game), self.now, self.rules), game)
        except (Invalid, Refused):
            return False

    def as_kept(self, game: NewGame) -> NewGame:
        """Return a game as the books keep it."""
        if game.played_at is not None and game.played_at.tzinfo is UTC and not game.details:
            return game
        details = {key: unsigned(value) for key, value in game.details.items()} if game.details else game.details
        return replace(game, played_at=(game.played_at or self.now).astimezone(UTC), details=details)

    def people(self, keys: Iterable[str], viewer: Viewer | None) -> dict[str, Named]:
        """Return key -> player, of the spellings that surely mean one to the sender, and no merged one."""
        wanted = [key for key in keys if (key.isascii() and "\0" not in key) or storable(key)]
        rows = among(Alias.objects.filter(recorded_as=None).order_by(), "key", wanted)
        names = ("key", "player", "player__handle", "player__name", "player__opaque")
        found = {key: Named(*named) for key, *named in rows.values_list(*names)}
        if viewer is None or viewer.ids() is None:
            return found
        here = self.of_league([player.pk for player in found.values()]) if viewer.may("record", self.league) else set()
        doubtful = [key for key, player in found.items() if player.pk not in here]
        seen = spellings(doubtful, viewer).keys() if doubtful else set()
        return {key: player for key, player in found.items() if player.pk in here or key in seen}

    def of_league(self, players: Sequence[int]) -> set[int]:
        """Return those players who have played in the league, or have a rating of its own to start with."""
        tables = (Rating.objects, InitialRating.objects)
        asked = [among(rows.filter(league=self.league).order_by(), "player", players) for rows in tables]
        return {player for rows in asked for player in rows.values_list("player", flat=True)}

    def is_newest(self, sheet: NewGame) -> bool:
        """Tell whether all games of the league are rated, and a game with the next number comes after them.

        Where a season turns before it, or an adjustment stands after it, it is none: that game is rated by itself.
        """
        if self.league.stale_from is not None:
            return False
        moment, newest = moment_of(sheet), newest_position(self.league)
        late = newest is not None and newest[0] > moment
        return not (late or comes_between(self.league, self.rules, newest, moment))

    def of_one_season(self, run: Sequence[Usual]) -> Sequence[Usual]:
        """Return the games of a run that are played before a season turns after the first of them."""
        if not self.league.eventful or len(run) < FEWEST:
            return run
        first, last = moment_of(run[0].sheet), moment_of(run[-1].sheet)
        turns = [turn.at for turn in turns_between(self.league, self.rules, first, last) if turn.at > first]
        return [one for one in run if moment_of(one.sheet) < turns[0]] if turns else run

    def record_run(self, run: Sequence[Usual]) -> list[Rated]:
        """Record usual games, each of them the newest when its turn comes."""
        first, games, teller = self.league.last_number + 1, Batch(self.rules, self.now), Teller()
        block = block_of([one.sheet for one in run])
        assert block is not None, "usual games have no place that is none"
        games.put_block(block)
        people = dict(zip(games.players, (player for one in run for player in one.players), strict=True))
        for seat, player in people.items():
            teller.name(seat, player.opaque, None)
        players = np.array([people[seat].pk for seat in range(len(people))], dtype=np.int64)
        columns, keys = games.columns(), np.zeros(len(games), dtype=np.int64)
        position = (games.moments[0], first)
        known = log_of(games, columns, keys, players, self.rules, first)
        stored = read_history(self.league, position)
        states = states_before(self.league, position, self.rules, known, stored)
        facts = Facts(self.league, self.now, self.by, games, teller)
        facts.write(np.arange(len(games)), columns, players)
        # While the database checks what was written, the sums are done; nothing else may be asked meanwhile.
        replay = Replay(self.league, position, self.rules, Known(replace(known, games=facts.keys), stored, states))
        computed = replay.lines(compiled=False)
        facts.end()
        self.league.save(update_fields=["last_number", *log.HEAD])
        write_lines(replay, computed)
        return self.rated(run, first, computed.lines)

    def rated(self, run: Sequence[Usual], first: int, lines: Lines) -> list[Rated]:
        """Return the games of a run as they stand; their lines of the history come first, in seat order."""
        count = sum(len(one.players) for one in run)
        columns = [getattr(lines, name)[:count].tolist() for name in FIGURES]
        columns[-1] = [None if isnan(figure) else figure for figure in columns[-1]]
        figures, details = list(zip(*columns, strict=True)), self.kept_details(run, first)
        found, row = [], 0
        for number, one in enumerate(run, start=first):
            sheet = replace(one.sheet, details=details[number]) if number in details else one.sheet
            size = len(one.players)
            found.append(Rated(number, sheet, self.now, self.by, one.players, figures[row : row + size]))
            row += size
        return found

    def kept_details(self, run: Sequence[Usual], first: int) -> dict[int, Any]:
        """Return number -> details of games as the database tells them, which may write a number otherwise."""
        if not any(one.sheet.details for one in run):
            return {}
        rows = self.league.games.filter(number__gte=first, number__lt=first + len(run))
        return dict(rows.values_list("number", "details"))


def is_usual(game: NewGame) -> bool:
    """Tell whether a game can stand in a ``Block``: played, by everyone alone, without worksheets, and weighing 1."""
    sided = any(line.side is not None for line in game.results)
    return game.kind == Game.Kind.PLAYED and not (sided or game.weight != 1.0 or has_worksheet(game))


def block_of(games: Sequence[NewGame]) -> Block | None:
    """Return usual games as columns; None where that cannot be, as somebody's place is none."""
    lines = [line for game in games for line in game.results]
    places = [line.place for line in lines]
    if 0 in places or any(place is not None and abs(place) > HIGHEST_PLACE for place in places):
        return None
    return Block(
        lines=range(len(games)),
        moments=[moment_of(game) for game in games],
        external_ids=[game.external_id for game in games],
        notes=[game.note for game in games],
        details=[game.details or NOTHING for game in games],
        sizes=np.array([len(game.results) for game in games], dtype=np.int64),
        players=[line.player for line in lines],
        scores=np.array([NAN if line.score is None else line.score for line in lines], dtype=np.float64) + 0.0,
        places=np.array([place or 0 for place in places], dtype=np.int64),
        sides=np.zeros(len(lines), dtype=np.int64),
    )


def run_ends(usual: Sequence[Usual | None]) -> list[int]:
    """Return for each game the position after the run that begins with it: usual games in the order of time."""
    ends = list(range(1, len(usual) + 1))
    for index in range(len(usual) - 2, -1, -1):
        one, after = usual[index], usual[index + 1]
        if one is not None and after is not None and moment_of(one.sheet) <= moment_of(after.sheet):
            ends[index] = ends[index + 1]
    return ends


def moment_of(sheet: NewGame) -> datetime:
    """Return when a usual game was played."""
    assert sheet.played_at is not None, "a usual game has its time"
    return sheet.played_at
