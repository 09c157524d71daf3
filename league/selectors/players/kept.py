"""A player's lines and tables in a league, read with as little as they take, and kept while the books stand."""

from dataclasses import dataclass

import numpy as np
from django.db.models import Q

from league.cached import find, store
from league.db.columns import Columns, Floats, Keys, Moments, Smalls, read_statement
from league.models import Game, League, Player, RatingChange
from league.selectors.leaderboard.versions import board_state
from league.selectors.players.played import Lines
from league.selectors.players.tables import KINDS, Tables, facts_of, tables_of

#: Of players with fewer lines nothing is kept, and their tables come with their games in one question.
FEW = 500
#: Games of theirs that no line tells of, at most; with more (most are in other leagues) all come in one question.
MOST_APART = 500


@dataclass(frozen=True)
class RatedLines(Lines):
    """A player's lines with what they tell of the games."""

    game: Keys
    order_key: Keys


@dataclass(frozen=True)
class Seats(Columns):
    """Who sat at some tables, and with what result."""

    game: Keys
    seat: Smalls
    player: Keys
    score: Floats
    place: Floats
    side: Floats


@dataclass(frozen=True)
class Facts(Columns):
    """What is known of some games."""

    game: Keys
    number: Keys
    kind: Smalls
    voided: Smalls
    at: Moments
    order_key: Keys


#: The games' rows are left where they are: most of them are known from the lines.
SEATS = """
SELECT o.game_id, o.seat, o.player_id, o.score, o.place, o.side
  FROM league_result r JOIN league_result o ON o.game_id = r.game_id WHERE r.player_id = %s"""


def career_of(league: League, player: Player) -> tuple[Lines, Tables]:
    """Return a player's rating after each game, the first one first, and who sat at their tables."""
    # Every change has an entry in the log; a replay that is on its way has none.
    key = (player.pk, board_state(league.slug), league.log_length)
    found = find("career", key) if league.stale_from is None else None
    if found is not None:
        lines, tables = found
        return lines, tables
    rated = RatedLines.read(RatingChange.objects.filter(league=league, player=player, step=1).order_by("games"))
    if len(rated) < FEW:
        return Lines.cut(rated), tables_of(league, player)
    career = Lines.cut(rated), tables_by(league, player, rated)
    if league.stale_from is None:
        store("career", key, career)
    return career


def tables_by(league: League, player: Player, lines: RatedLines) -> Tables:
    """Return who sat at the tables of a player whose lines these are."""
    seats = Seats(**read_statement(SEATS, [player.pk], Seats.kinds()))
    own = seats.game[seats.player == player.pk]
    others = own[~np.isin(own, lines.game)]
    if len(others) > MOST_APART:
        return tables_of(league, player)
    odd = Game.objects.filter(~Q(kind=Game.Kind.PLAYED) | Q(voided_at__isnull=False), results__player=player)
    apart = Facts.read(
        Game.objects.filter(Q(pk__in=others.tolist()) | Q(pk__in=odd.filter(league=league).order_by().values("pk")))
        .filter(league=league)
        .order_by(),
        **facts_of(""),
        game="pk",
    )
    rated = lines.of(~np.isin(lines.game, apart.game))
    plain = np.zeros(len(rated), dtype=np.int64)
    known = {name: getattr(rated, name) for name in ("game", "number", "at", "order_key")}
    facts = Facts.joined([Facts(**known, kind=plain + KINDS.index(Game.Kind.PLAYED), voided=plain), apart])
    facts = facts.of(np.argsort(facts.game))
    there = seats.of(np.isin(seats.game, facts.game))
    of = facts.of(np.searchsorted(facts.game, there.game))
    about = {name: getattr(of, name) for name in ("number", "kind", "voided", "at", "order_key")}
    return Tables(**there.by_name(), **about)
