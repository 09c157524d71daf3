"""The contract of a ladder method, which ranks the games of a period.

A method is one file in ``ratings/ladder_methods/`` with one frozen dataclass, whose fields are its parameters. Its
``tabulate`` receives the records of any number of periods as columns (``ratings.columns.tallies``): the games with
all lines, and each player's rating before and after. For each record it returns the score, the figures of the columns
and, for a player who does not qualify, the reason. A method uses no names, dates or database. Sums run in the order
of the games, so that the same games give bit-identical results. A single record is a column of one row.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from ratings.columns.tallies import (
    Floats,
    RatedLineColumns,
    Records,
    Tallies,
    build_column,
    convert_nan_to_none,
    ranks_of,
)
from ratings.contract.parameters import ParameterSet, number, winner_choice
from ratings.contract.system import Check, Preset, RatingSystem, Ruling
from ratings.contract.wording import Wording
from ratings.texts import N_, localize_text, say, say_many

#: The standings that a game may change. "own": those of its players. "period": also those of anyone they met,
#: directly or indirectly. "all": everyone's of the period.
Reach: TypeAlias = Literal["own", "period", "all"]
#: What a further game adds to a player's record: a score, a performance, or a win.
Counted: TypeAlias = Literal["score", "performance", "win"]
#: The most columns the database can store besides score and games.
MAX_COLUMNS = 6
#: The figures of a line that are floats, or absent.
LINE_FIGURES = ("score", "place", "performance", "after", "side", "deviation")
#: Matches ``format_games_to_go``.
TO_GO = re.compile(r"(\d+) of (\d+) games? played; (\d+) to go\.")


#: Which score wins on a ladder, for all methods that use scores.
LOWEST_WINS = Ruling(
    "R113",
    N_("When the lowest score wins"),
    N_(
        "The rating system determines whether the highest or lowest score wins, and the "
        "league's ladders follow it, each game by the rule of its day. A ladder with its own "
        "winner “lowest” always treats the lowest score as the best. If the lowest score "
        "wins, scores are negated before they are compared, added up or averaged, so that "
        "higher is better on every ladder. Places mean the same in both cases."
    ),
    "winner",
)


def ladder_winner() -> Any:
    """Declare the parameter ``winner`` of a method that uses scores."""
    return winner_choice(highest=N_("the winning score under the league's rule"), source=LOWEST_WINS.number)


def minimum_games(default: float = 1, help: str = N_("Games needed in the period to qualify.")) -> Any:
    """Declare the parameter ``minimum`` of a method, which ``format_games_to_go`` speaks of."""
    return number(default, label=N_("Minimum"), low=1, high=1000, unit=N_("games"), whole=True, help=help)


@dataclass(frozen=True)
class RatedLine:
    """One player's line of a rated game. ``games``: how many games the player has played, this one included.

    ``score`` is the score on the sheet. ``lowest``: the lower score is better for the game's rating (ruling R113).
    """

    player: int
    score: float | None = None
    place: int | None = None
    performance: float | None = None
    after: float = 0.0
    games: int = 1
    side: int | None = None
    """Players with the same number share the result; None means playing alone."""
    deviation: float = 0.0
    """The deviation of ``after`` if the system has one (``RatingSystem.deviates``), else 0."""
    lowest: bool = False


@dataclass(frozen=True)
class ScoreColumn:
    """A figure shown next to the score; ``decimals``: shown on pages.

    ``words``: its name in a sentence, if the label is an abbreviation.
    """

    key: str
    label: str
    help: str = ""
    decimals: int = 0
    words: str = ""


@dataclass(frozen=True)
class Tally:
    """A player's result in a period.

    ``score`` None means no value, shown as "–", never 0. ``values`` are in the order of the
    method's columns. ``why_not`` is a sentence saying why the player does not qualify.
    """

    score: float | None
    values: tuple[float | None, ...] = ()
    games: int = 0
    why_not: str = ""


@dataclass(frozen=True)
class MethodExample:
    """An example, printed by the source or computed: a period's records, and the figures of one player.

    ``expected`` maps ``score`` or the key of a column to the printed value.
    """

    title: str
    records: Callable[[], Records]
    player: int
    expected: Mapping[str, float | None]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    tolerance: float = 0.0
    note: str = ""
    printed: bool = False


@dataclass(frozen=True)
class Method(ParameterSet, ABC):
    """Base class of ladder methods."""

    key: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    """Two or three plain sentences for players: what the ladder rewards."""
    headline: ClassVar[str] = ""
    """The idea in at most fourteen words, for lists."""
    source: ClassVar[str]
    formula: ClassVar[str]
    score_label: ClassVar[str]
    score_unit: ClassVar[str] = ""
    """The unit of the score (``UNITS``) in a sentence such as "leads by 1 point"; "" if it has none."""
    columns: ClassVar[tuple[ScoreColumn, ...]] = ()
    decimals: ClassVar[int] = 0
    """Decimals of the score that pages show; the API never rounds."""
    reach: ClassVar[Reach] = "own"
    reads_ratings: ClassVar[bool] = False
    """Whether it reads ``Records.rating``, which some systems change for players who are not at the table."""
    reads_before: ClassVar[bool] = False
    """Whether it reads ``Records.before``."""
    reads_tables: ClassVar[bool] = False
    """Whether it reads the lines of others in a player's games; if not, they may be absent."""
    reads_scores: ClassVar[bool] = True
    """Whether it reads ``RatedLine.score`` or ``RatedLine.place``; if not, they may be absent."""
    tie_breaks: ClassVar[tuple[str, ...]] = ()
    """Keys of the columns that break ties between equal scores, in this order; higher values first."""
    rulings: ClassVar[tuple[Ruling, ...]] = ()
    presets: ClassVar[tuple[Preset, ...]] = ()
    examples: ClassVar[tuple[MethodExample, ...]] = ()
    checks: ClassVar[tuple[Check, ...]] = ()

    @abstractmethod
    def tabulate(self, records: Records) -> Tallies:
        """Return the tallies of records of any number of periods, each of a player with at least one game."""

    def scores_in(self, records: Records) -> Floats:
        """Return the scores of the lines as this ladder ranks them: higher is better."""
        return records.scores(lowest=self.lowest_score_wins())

    def wording(self) -> Wording:
        """Return the texts of this method for these parameters (with default parameters, the declared texts)."""
        return Wording(self.summary, self.formula, winner=self.winner_in_words())

    def factor_of(self, games: int) -> float | None:
        """Return the factor applied to a score after ``games`` games, or None if there is none. Pages plot it."""
        return None

    def unplayed(self) -> float | None:
        """Return the score of a player without games, if the method has one; race charts start from it."""
        return None

    def deciding_figure(self) -> Counted | None:
        """Return what alone decides how a further game changes a player's score; higher is never worse.

        None if it depends on more, such as the ratings after the game or the opponents.
        """
        return None

    def chain(self) -> tuple[str, ...]:
        """Return the keys of the columns that break ties under these parameters."""
        return self.tie_breaks

    def reads_past(self) -> bool:
        """Return whether games before a period affect its tallies under these parameters.

        They affect everything derived from ratings: ``before``, ``rating``, and a line's ``performance``, ``after``,
        ``deviation`` and ``games``; not scores and places. A period closes automatically only when it can no longer
        change, so with the default it waits for all earlier games.
        """
        return True

    def refusal(self, system: type[RatingSystem]) -> str:
        """Return a sentence saying why the method cannot rank games of this system, empty if it can."""
        return ""


def build_records(
    games: Sequence[Sequence[RatedLine]],
    *,
    at: Sequence[int] = (),
    before: Mapping[int, float | None] | None = None,
    rating: Mapping[int, float] | None = None,
) -> Records:
    """Return the records of one period, given its games in order, each as its lines in seat order.

    ``at``: when each game was played (default: all at one time). ``before``: the ratings at the beginning of the
    period; ``rating``: the ratings at its end (default: after each player's last game).
    """
    lines = [line for game in games for line in game]
    sizes = np.array([len(game) for game in games], dtype=np.int64)
    ended = {line.player: line.after for line in lines} | dict(rating or {})
    player, inverse = np.unique(np.array([line.player for line in lines], dtype=np.int64), return_inverse=True)

    def floats(name: str) -> Floats:
        return build_column([getattr(line, name) for line in lines])

    return Records(
        lines=RatedLineColumns(
            number=np.repeat(np.arange(1, len(games) + 1), sizes),
            at=np.repeat(np.array(at or [0] * len(games), dtype=np.int64), sizes),
            player=player[inverse],
            games=np.array([line.games for line in lines], dtype=np.int64),
            lowest=np.array([line.lowest for line in lines], dtype=bool),
            **{name: floats(name) for name in LINE_FIGURES},
        ),
        of=inverse,
        period=np.zeros(len(player), dtype=np.int64),
        player=player,
        before=build_column([(before or {}).get(player_id) for player_id in player.tolist()]),
        rating=build_column([ended[player_id] for player_id in player.tolist()]),
    )


def build_tallies(method: Method, records: Records) -> dict[int, Tally]:
    """Return player -> tally for the records of one period."""
    return dict(zip(records.player.tolist(), build_tally_objects(method.tabulate(records)), strict=True))


def build_tally_objects(tallies: Tallies) -> list[Tally]:
    """Return tallies as objects, in the same order."""
    values = (
        zip(*map(convert_nan_to_none, tallies.values), strict=True) if tallies.values else [()] * len(tallies.games)
    )
    rows = zip(
        convert_nan_to_none(tallies.score), values, tallies.games.tolist(), tallies.why_not.tolist(), strict=True
    )
    return [Tally(score, tuple(figures), games, tallies.sentences[code]) for score, figures, games, code in rows]


@dataclass(frozen=True)
class RankedPlayer:
    """An entry of a ranking: equal scores (and tie-breaks) share a rank, 1-2-2-4.

    ``rank`` is None for players who do not qualify. ``decided_by`` is the key of the column that
    ranked the player above or below another with the same score, empty if the score decided.
    """

    player: int
    rank: int | None
    decided_by: str
    tally: Tally


def rank_players(method: Method, tallies: Mapping[int, Tally], order: Mapping[int, str]) -> list[RankedPlayer]:
    """Return the ranking, best first, unqualified players last; ``order`` sorts players who share a rank."""
    players = sorted(tallies, key=order.__getitem__)
    rows = [tallies[player] for player in players]
    deciding = [find_column(method, key) for key in method.chain()]
    ranks = ranks_of(
        build_column([row.score for row in rows]),
        [build_column([row.values[column] for row in rows]) for column in deciding],
        np.array([bool(row.why_not) for row in rows], dtype=bool),
        np.arange(len(rows)),
    )
    deciders = ("", *method.chain())
    return [
        RankedPlayer(players[row], int(ranks.rank[row]) or None, deciders[ranks.decided_by[row]], rows[row])
        for row in ranks.order.tolist()
    ]


def index_figures_by_key(method: Method, tally: Tally) -> dict[str, float | None]:
    """Return a tally's score under ``score`` and its values under the keys of their columns."""
    keys = [column.key for column in method.columns]
    return {"score": tally.score, **dict(zip(keys, tally.values, strict=True))}


def find_column(method: Method, key: str) -> int:
    """Return the index of a column in ``values``."""
    return [column.key for column in method.columns].index(key)


def format_game_count(count: int, noun: str = "game") -> str:
    """Return "1 game" or "5 games"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def format_games_to_go(games: int, minimum: int) -> str:
    """Return a sentence saying how many games are missing, empty if none are."""
    return f"{games} of {format_game_count(minimum)} played; {minimum - games} to go." if games < minimum else ""


def translate_why_not(why_not: str) -> str:
    """Return the sentence of a tally in the reader's language; the database stores English."""
    match = TO_GO.fullmatch(why_not)
    if match is None:
        return say(why_not)
    games, minimum, remaining = match.groups()
    return say_many(
        "{games} of {count} game played; {left} to go.",
        "{games} of {count} games played; {left} to go.",
        int(minimum),
        games=games,
        count=minimum,
        left=remaining,
    )


def localize_why_not(why_not: str) -> str:
    """Return the sentence of a tally: stored in English, translated when displayed."""
    return localize_text(why_not, partial(translate_why_not, why_not))


def parse_games_missing(why_not: str) -> int | None:
    """Return the missing games, read from the text of ``format_games_to_go``; None for other texts."""
    match = TO_GO.fullmatch(why_not)
    return int(match[3]) if match else None
