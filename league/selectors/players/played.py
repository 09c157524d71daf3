"""A player's games in a league, each with how it ended for them: two questions, however many games there are."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, Q

from league.db.statements import ask, moment
from league.models import Game, League, Player, Result, Rule
from league.selectors.players.head_to_head import with_outcome


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

    better, level: how many others finished before them, and with them.
    """

    game: int
    number: int
    kind: str
    voided: bool
    seat: int
    score: float | None
    place: int | None
    size: int
    better: int
    level: int

    @property
    def counts(self) -> bool:
        """Tell whether the game is one that is played against others and stands."""
        return not self.voided and self.kind == Game.Kind.PLAYED and self.size > 1

    @property
    def finish(self) -> int | None:
        """Return the finish, 1 for the best, which equal ones share; None where nothing says it."""
        return None if self.score is None and self.place is None else self.better + 1

    @property
    def drawn(self) -> bool:
        """Tell whether all at the table are level."""
        return self.finish is not None and self.level == self.size - 1

    @property
    def won(self) -> bool:
        """Tell whether nobody finished before them, and not all are level."""
        return self.finish == 1 and not self.drawn


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
    rows: Any = with_outcome(own, rules).values_list(
        "game_id", "game__number", "game__kind", "game__voided_at", "seat", "score", "place"
    )
    rows = rows.annotate(
        size=Count("game__results"),
        better=Count("game__results", filter=Q(outcome=-1)),
        level=Count("game__results", filter=Q(outcome=0)),
    ).order_by("game__played_at", "game__order_key", "game__number")
    return [
        Played(game, number, kind, voided is not None, seat, score, place, size, better, level - 1)
        for game, number, kind, voided, seat, score, place, size, better, level in rows
    ]
