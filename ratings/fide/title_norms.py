"""How far a result is a norm for a title, by FIDE's title regulations (Handbook B.01, 1.4, since 1 January 2024).

A hint, not a certificate: what is asked of the event itself (1.1) is not known here.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ratings.columns.fide import dp_of_score
from ratings.contract.tie_break import round_half_up

#: The federation of players without one.
NO_FEDERATION = frozenset(("", "FID"))
#: Titles that count as titles of opponents (1.4.5).
TITLES = frozenset(("GM", "IM", "FM", "WGM", "WIM", "WFM"))
UNRATED = 1400
GAMES, GAMES_WITHOUT_ONE, HIGH_TITLES, FOREIGN_FEDERATIONS, DOUBLE_PLAYERS = 9, 8, 3, 2, 6
LEAST_PERCENT = 35
#: The games that a norm counts at most, without points to spare (1.7).
MOST_GAMES = 13
#: A Swiss of so many rated players from elsewhere, of their federations, and of holders of ``HIGH`` titles asks nothing
#: of federations (1.4.3d). Each missed at most one round.
OPEN_PLAYERS, OPEN_FEDERATIONS, OPEN_TITLES = 20, 3, 10
HIGH = frozenset(("GM", "IM", "WGM", "WIM"))
#: A hint is told from this many games on, if performance and average are at most this far below.
GAMES_TO_TELL, CLOSE = 3, 100


class NormRule(NamedTuple):
    """What a title asks: performance, average of the opponents, the floor of one opponent, and titles met.

    ``opponents``: the titles that a third of the opponents have, the highest last.
    """

    title: str
    performance: int
    average: int
    floor: int
    opponents: tuple[str, ...]
    is_womens: bool


NORM_RULES = (
    NormRule("GM", 2600, 2380, 2200, ("GM",), False),
    NormRule("IM", 2450, 2230, 2050, ("IM", "GM"), False),
    NormRule("WGM", 2400, 2180, 2000, ("WGM", "IM", "GM"), True),
    NormRule("WIM", 2250, 2030, 1850, ("WIM", "WGM", "IM", "GM"), True),
)
#: A title -> the norms that its holder no longer needs.
HELD = {"GM": ("GM", "IM", "WGM", "WIM"), "IM": ("IM", "WIM"), "WGM": ("WGM", "WIM"), "WIM": ("WIM",)}


class NormGame(NamedTuple):
    """A game over the board: number, rating, title and federation of the opponent, and 2, 1 or 0 half points."""

    opponent: int
    rating: int | None
    title: str
    federation: str
    half_points: int


class NormEvent(NamedTuple):
    """What counts of an event: its rounds; whether pairings are known before; whether everyone meets twice.

    ``players``: of a double round robin. ``is_open``: a large international Swiss, which asks nothing of federations.
    """

    rounds: int
    is_predetermined: bool = False
    is_double: bool = False
    players: int = 0
    is_open: bool = False


class NormPlayer(NamedTuple):
    """A player of an event, and how many rounds they missed, without byes of the pairing."""

    is_rated: bool
    title: str
    federation: str
    missed: int


class NormPart(NamedTuple):
    """A condition: what was found, and the least, or the most if ``at_most``, that is allowed.

    ``name``: games, performance, average, score (half points), titled, high_titles, federations, own_federation,
    one_federation, players.
    """

    name: str
    found: int
    bound: int
    at_most: bool = False

    @property
    def is_met(self) -> bool:
        """Whether the condition holds."""
        return self.found <= self.bound if self.at_most else self.found >= self.bound


@dataclass(frozen=True)
class NormHint:
    """How far games are a norm for a title. ``games``: those that were counted.

    ``spare_points``: full points above what the norm needs.
    """

    title: str
    games: int
    parts: tuple[NormPart, ...]
    spare_points: int = 0

    @property
    def counts_as(self) -> int:
        """How many games a norm counts as in an application (1.4.1c, 1.4.1d, 1.7); 0 if it is none."""
        return min(max(self.games, GAMES), MOST_GAMES) + self.spare_points if self.is_met else 0

    @property
    def missing(self) -> tuple[NormPart, ...]:
        """The conditions that do not hold yet."""
        return tuple(part for part in self.parts if not part.is_met)

    @property
    def is_met(self) -> bool:
        """Whether all conditions hold."""
        return not self.missing

    @property
    def is_within_reach(self) -> bool:
        """Whether it is worth telling: some games, enough points, performance and opponents close to what is asked."""
        parts = {part.name: part for part in self.parts}
        is_close = all(parts[name].found >= parts[name].bound - CLOSE for name in ("performance", "average"))
        return self.games >= GAMES_TO_TELL and parts["score"].is_met and is_close


def list_norms(title: str, *, is_woman: bool) -> list[NormRule]:
    """Return the norms that a player with a title may still make, the highest first."""
    held = HELD.get(title, ())
    return [rule for rule in NORM_RULES if rule.title not in held and (is_woman or not rule.is_womens)]


def is_open_event(host: str, players: Collection[NormPlayer]) -> bool:
    """Return whether a Swiss in a federation asks nothing of federations (1.4.3d)."""
    guests = [
        one
        for one in players
        if host and one.is_rated and one.missed <= 1 and one.federation not in NO_FEDERATION | {host}
    ]
    return (
        len(guests) >= OPEN_PLAYERS
        and len({one.federation for one in guests}) >= OPEN_FEDERATIONS
        and sum(one.title in HIGH for one in guests) >= OPEN_TITLES
    )


def find_norm(
    rule: NormRule, federation: str, games: Sequence[NormGame], event: NormEvent, *, was_unopposed: bool = False
) -> NormHint:
    """Return how far games, one or more in the order of rounds, are a norm.

    ``was_unopposed``: a round was won by forfeit or was the bye of the pairing, so that 8 of 9 games suffice (1.4.1c).
    Later games of a Swiss may be ignored once the norm is made (1.4.1e); those that let it count as more games are not.
    """
    needed = GAMES_WITHOUT_ONE if was_unopposed and event.rounds == GAMES else GAMES
    first = len(games) if event.is_predetermined else min(needed, len(games))
    hints = [_judge_games(rule, federation, games[:count], event, needed) for count in range(first, len(games) + 1)]
    return max((hint for hint in hints if hint.is_met), key=lambda hint: hint.counts_as, default=hints[-1])


def _judge_games(rule: NormRule, federation: str, games: Sequence[NormGame], event: NormEvent, needed: int) -> NormHint:
    half_points = sum(game.half_points for game in games)
    average = _compute_average(rule, games)
    percent_bound = -(-LEAST_PERCENT * len(games) // 50)
    parts = (
        NormPart("games", len(games), needed),
        NormPart("performance", average + dp_of_score(half_points, len(games)), rule.performance),
        NormPart("average", average, rule.average),
        NormPart("score", half_points, percent_bound),
        *_judge_opponents(rule, federation, games, event, needed),
    )
    hint = NormHint(rule.title, len(games), parts)
    if not hint.is_met:
        return hint
    enough = next(
        least
        for least in range(percent_bound, half_points + 1)
        if average + dp_of_score(least, len(games)) >= rule.performance
    )
    return replace(hint, spare_points=(half_points - enough) // 2)


def list_counted_ratings(rule: NormRule, games: Sequence[NormGame]) -> list[int]:
    """Return the ratings of the opponents as they count: the lowest one below the floor is raised to it (1.4.6)."""
    ratings = [UNRATED if game.rating is None else game.rating for game in games]
    lowest = ratings.index(min(ratings))
    ratings[lowest] = max(ratings[lowest], rule.floor)
    return ratings


def _compute_average(rule: NormRule, games: Sequence[NormGame]) -> int:
    """Return the average of the opponents, half up (1.4.7)."""
    ratings = list_counted_ratings(rule, games)
    return round_half_up(sum(ratings), len(ratings))


def _judge_opponents(
    rule: NormRule, federation: str, games: Sequence[NormGame], event: NormEvent, needed: int
) -> list[NormPart]:
    """Return the conditions of titles and federations (1.4.3 to 1.4.5); an opponent met twice is one."""
    met = list({game.opponent: game for game in games}.values()) if event.is_double else list(games)
    # Opponents still to come are counted, so that the bounds are those of a complete norm.
    count = max(len(met), needed // 2 + 1 if event.is_double else needed)
    share = -(-count // 2) if event.is_double else max(HIGH_TITLES, -(-count // 3))
    parts = [
        NormPart("titled", sum(game.title in TITLES for game in met), -(-count // 2)),
        NormPart("high_titles", sum(game.title in rule.opponents for game in met), share),
    ]
    if not event.is_open:
        parts += _judge_federations(federation, met, count)
    if event.is_double:
        parts.append(NormPart("players", event.players, DOUBLE_PLAYERS))
    return parts


def _judge_federations(federation: str, met: Sequence[NormGame], count: int) -> list[NormPart]:
    """Return the conditions of federations (1.4.3, 1.4.4)."""
    federations = Counter(game.federation for game in met if game.federation not in NO_FEDERATION)
    foreign: Collection[str] = federations.keys() - {federation} if federation not in NO_FEDERATION else ()
    return [
        NormPart("federations", len(foreign), FOREIGN_FEDERATIONS),
        NormPart("own_federation", federations.get(federation, 0), 3 * count // 5, at_most=True),
        NormPart("one_federation", max(federations.values(), default=0), 2 * count // 3, at_most=True),
    ]
