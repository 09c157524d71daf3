"""What a ladder's method makes of the games between two instants, read from the history and the facts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db.models import F, Q, QuerySet, Window
from django.db.models.functions import RowNumber

from league.models import InitialRating, League, RatingChange, Result, Rule
from league.selectors.rules import rule_at, rules_of, system_of
from ratings.method import Line, Method, Played, Record, Tally

#: So many conditions stand in one query; databases limit how deep they may be nested.
CHUNK = 100


def tallies_between(
    league: League, method: Method, start: datetime, end: datetime, players: Collection[int] | None = None
) -> dict[int, Tally]:
    """Return player id -> tally over the rated games from ``start`` until before ``end``.

    With ``players`` only theirs, for methods whose reach is a player's own games.
    """
    records = read_records(league, method, start, end, players)
    if not records:
        return {}
    if method.reads_ratings:
        put_ratings(league, records, start, end)
    if method.reads_before:
        put_befores(league, records, start)
    return method.tallies(records)


def read_records(
    league: League, method: Method, start: datetime, end: datetime, players: Collection[int] | None
) -> dict[int, Record]:
    """Return the players' records with their lines, in the order of the games."""
    changes = RatingChange.objects.filter(league=league, step=1, at__gte=start, at__lt=end)
    scores = scores_between(league, start, end)
    wanted = changes
    if players is not None:
        wanted = changes.filter(player__in=players)
        if method.reads_tables:
            wanted = changes.filter(number__in=wanted.values("number"))
            scores = scores.filter(game__in=wanted.values("game"))
        else:
            scores = scores.filter(player__in=players)
    sheet = {(game, player): (score, place) for game, player, score, place in scores.iterator()}
    records: dict[int, Record] = {}
    rows = wanted.order_by("at", "number", "seat").values_list(
        "game", "number", "player", "after", "games", "performance", "at"
    )
    rules = rules_of(league) if method.reads_tables else []
    for (number, at), lines in groupby(rows.iterator(), key=itemgetter(1, 6)):
        table = [
            Line(player, *sheet[game, player], performance, after, games)
            for game, _, player, after, games, performance, _ in lines
        ]
        deal(method, records, number, placed(table) if lowest_wins(rules, at) else table)
    return records if players is None else {player: records[player] for player in players if player in records}


def lowest_wins(rules: Sequence[Rule], moment: datetime) -> bool:
    """Tell whether the lowest score was the best one in a game of that time."""
    rule = rule_at(rules, moment)
    return rule is not None and system_of(rule).lowest_score_wins()


def placed(table: Sequence[Line]) -> list[Line]:
    """Return the lines of a game with places by the lowest score: methods take the highest for the best."""
    scores = [line.score for line in table if line.score is not None]
    return [
        line if line.place or line.score is None else replace(line, place=1 + sum(one < line.score for one in scores))
        for line in table
    ]


def scores_between(league: League, start: datetime, end: datetime) -> QuerySet[Result, Any]:
    """Return (game, player, score, place) of the results between two instants, unordered."""
    results = Result.objects.filter(game__league=league, game__played_at__gte=start, game__played_at__lt=end)
    return results.order_by().values_list("game_id", "player_id", "score", "place")


def deal(method: Method, records: dict[int, Record], number: int, table: Sequence[Line]) -> None:
    """Give each player of a game the own line and, where the method looks at it, the whole table."""
    game = Played(number, tuple(table)) if method.reads_tables else None
    for line in table:
        record = records.setdefault(line.player, Record(line.player))
        record.own.append(line)
        if game is not None:
            record.played.append(game)


def put_ratings(league: League, records: Mapping[int, Record], start: datetime, end: datetime) -> None:
    """Fill in where the ratings stood at the period's end, with what the pool had shifted until then."""
    changes = RatingChange.objects.filter(league=league, step=1, at__lt=end)
    last = changes.order_by("-at", "-number").values_list("shift", flat=True)[0]
    lines = changes.filter(at__gte=start, player__in=list(records))
    for player, after, shift in newest_lines(lines).values_list("player", "after", "shift"):
        records[player].rating = after + (last - shift) + 0.0


def put_befores(league: League, records: Mapping[int, Record], start: datetime) -> None:
    """Fill in where the ratings stood when the period began; players without one stay unrated."""
    starts = InitialRating.objects.filter(league=league, player__in=list(records))
    for player, rating in starts.values_list("player", "rating"):
        records[player].before = rating
    earlier = RatingChange.objects.filter(league=league, step=1, at__lt=start).order_by("-at", "-number")
    last = earlier.values_list("shift", flat=True).first() or 0.0
    played = [(player, record.own[0].games - 1) for player, record in records.items() if record.own[0].games > 1]
    for index in range(0, len(played), CHUNK):
        # The line before each player's first one of the period, found by its key.
        wanted = Q()
        for player, games in played[index : index + CHUNK]:
            # All of the key in each condition: only then does SQLite look each of them up.
            wanted |= Q(league=league, player=player, games=games, step=1)
        for player, after, shift in RatingChange.objects.filter(wanted).values_list("player", "after", "shift"):
            records[player].before = after + (last - shift) + 0.0


def newest_lines(changes: QuerySet[RatingChange]) -> QuerySet[RatingChange]:
    """Return the last line of each player among these."""
    order = Window(RowNumber(), partition_by=F("player"), order_by=F("games").desc())
    return changes.annotate(newest=order).filter(newest=1)
