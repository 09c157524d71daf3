"""A player's games in a league, each with how it ended for them: two questions, however many games there are."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, Q

from league.db.statements import ask, moment
from league.models import Game, League, Player, Result, Rule
from league.selectors.finish import deciding, is_winner, outcome
from league.selectors.players.head_to_head import both_ways
from league.selectors.rules import system_of
from ratings.contract.system import RatingSystem


class Line(NamedTuple):
    """A player's rating after a game of theirs; ``games`` is the player's n-th."""

    at: datetime
    number: int
    games: int
    seat: int
    before: float
    change: float
    after: float
    state_1: float
    state_2: float
    state_3: float

    @property
    def state(self) -> tuple[float, ...]:
        """Return the whole state, as wide as the tables are."""
        return self.after, self.state_1, self.state_2, self.state_3


class Played(NamedTuple):
    """A player's result in a game, void and unrated ones too; ``size``: all at the table.

    known: whether scores or places say who finished where. better, level: how many others finished before them, and
    with them.
    """

    game: int
    number: int
    kind: str
    voided: bool
    seat: int
    score: float | None
    place: int | None
    size: int
    known: bool
    better: int
    level: int

    @property
    def counts(self) -> bool:
        """Tell whether the game is one that is played against others and stands."""
        return not self.voided and self.kind == Game.Kind.PLAYED and self.size > 1

    @property
    def finish(self) -> int | None:
        """Return the finish, 1 for the best, which equal ones share; None where nothing says it."""
        return self.better + 1 if self.known else None

    @property
    def winner(self) -> bool:
        """Tell whether they are one of the game's winners."""
        return is_winner(self.finish, self.level, self.size)

    @property
    def won(self) -> bool:
        """Tell whether they were alone at the top of others."""
        return self.winner and outcome(self.finish, self.level) == "won"

    @property
    def drawn(self) -> bool:
        """Tell whether they were at the top with others."""
        return outcome(self.finish, self.level) == "drawn"


#: As plain text: the ORM's converters of five thousand moments take longer than the database.
LINES = f"""
SELECT {", ".join(f"c.{name}" for name in Line._fields)} FROM league_ratingchange c
 WHERE c.league_id = %s AND c.player_id = %s AND c.step = 1 ORDER BY c.games"""  # noqa: S608 -- own names


def lines_of(league: League, player: Player) -> list[Line]:
    """Return the player's rating after each game, the first one first."""
    return [Line(moment(at), *rest) for at, *rest in ask(LINES, [league.pk, player.pk])]  # type: ignore[arg-type]  # always one


def games_played(league: League, player: Player, rules: Sequence[Rule]) -> list[Played]:
    """Return all games in which a player sat, the earliest first."""
    own = Result.objects.filter(player=player, game__league=league)
    rows: Any = both_ways(own, rules).values_list(
        "game_id", "game__number", "game__kind", "game__voided_at", "seat", "score", "place"
    )
    rows = rows.annotate(
        size=Count("game__results"),
        scored=Count("game__results__score"),
        placed=Count("game__results__place"),
        **{
            f"{said}_{what}": Count("game__results", filter=Q(**{f"by_{what}": value}))
            for what in ("score", "place")
            for said, value in (("better", -1), ("level", 0))
        },
    ).order_by("game__played_at", "game__order_key", "game__number")
    system = system_of(rules[-1]) if rules else None  # one a league, R104
    # Without the ORM's converters, of which each count of five thousand rows would have one.
    return [played(system, row) for row in ask(*rows.query.sql_with_params())]


def played(system: RatingSystem | None, row: Sequence[Any]) -> Played:
    """Return a game of a player, given what scores and what places say of it."""
    game, number, kind, voided, seat, score, place, size, scored, placed, *counts = row
    what = deciding(system, scores=scored == size, places=placed == size)
    better, level = counts[2:] if what == "place" else counts[:2]
    return Played(game, number, kind, voided is not None, seat, score, place, size, bool(what), better, level - 1)
