"""What a replay writes, under ``verify``: stored rows compared by columns with those that the facts give, bit for bit.

That is the history, in lines of games and lines that no game made, and the current ratings.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from league.core.db.bulk import Rows, TableShape, matched, row_numbers
from league.core.db.columns import NEVER, Column, kept_moment, moment_of, to_micros
from league.core.leagues.selectors.rules import rule_of_ratings, system_of
from league.core.leagues.selectors.seasons import has_seasons
from league.core.replay.services.between_games import GAMELESS, StoredGameless, start_of_replay
from league.core.replay.services.compute import ComputedHistory
from league.core.replay.services.current_ratings import RATINGS, CurrentRatings, computed_ratings, stored_ratings
from league.core.replay.services.history import CHANGES, columns_with_key, stored_columns
from league.core.text.stored_messages import Said, phrase
from league.core.verify.league_data import VerifiedLeague, column, format_full, otherwise, some
from league.models import Adjustment, GamelessChange


def row_problems(
    books: VerifiedLeague,
    table: TableShape,
    rows: tuple[Rows, Rows],
    settled: Callable[[Rows], Column],
    name: Callable[[Rows, int], Said],
    what: Said,
) -> Iterator[Said]:
    """Yield how stored rows of a table differ from computed ones, and note from when on the history does.

    Only ``settled`` rows are compared: those that wait for no replay.
    """
    stored, computed = rows
    same, stands = matched(table, stored, computed)
    extra, lost = np.flatnonzero(~stands & settled(stored)), np.flatnonzero(~same & settled(computed))
    if not len(extra) and not len(lost):
        return
    if "at" in stored:
        wrong = moment_of(min([*stored["at"][extra].tolist(), *computed["at"][lost].tolist()]))
        books.wrong_from = wrong if books.wrong_from is None else min(books.wrong_from, wrong)
    parts = [{key: one[key][which] for key in table.key} for one, which in ((stored, extra), (computed, lost))]
    old, new = row_numbers(table.key, *parts)
    keys = np.union1d(old, new)
    sentences = (
        sentence
        for key in keys
        for sentence in pair_sentences(table, rows, extra[old == key].tolist(), lost[new == key].tolist(), name)
    )
    yield from some(len(keys) + len(old) - len(np.unique(old)), sentences, what)


def pair_sentences(
    table: TableShape,
    rows: tuple[Rows, Rows],
    extra: Sequence[int],
    lost: Sequence[int],
    name: Callable[[Rows, int], Said],
) -> Iterator[Said]:
    """Yield what differs among the stored and the computed rows of one key."""
    stored, computed = rows
    wanted = {name(computed, row): row for row in lost}
    for row in extra:
        fact = name(stored, row)
        if fact not in wanted:
            yield phrase("{fact} must not exist.", fact=fact)
            continue
        other = wanted.pop(fact)
        cells = [(key, cell(key, stored[key][row]), cell(key, computed[key][other])) for key in table.compared]
        cells = [(key, one, two) for key, one, two in cells if one != two]
        yield otherwise(fact, [column(key, one) for key, one, _ in cells], [column(key, two) for key, _, two in cells])
    yield from (phrase("{fact} is missing.", fact=fact) for fact in wanted)


def history_problems(books: VerifiedLeague) -> Iterator[Said]:
    """Yield which lines of the history are not what the facts give: those of games first."""

    def settled(rows: Rows) -> Column:
        return books.before_stale(rows["at"], rows["order_key"])

    rows = columns_with_key(books.stored), stored_columns(books.computed)
    yield from row_problems(books, CHANGES, rows, settled, books.line_name, phrase("in the history"))
    changes = GamelessChange.objects.filter(league=books.league).order_by("player", "at", "number")
    moves = StoredGameless.read(changes, at=kept_moment("at")).named(), books.between.named()
    position = start_of_replay(books.league, books.stale_from, books.rules)

    def settled_moves(rows: Rows) -> Column:
        if books.stale_from is None:
            return np.ones(len(rows["at"]), dtype=bool)
        if position is None:
            return np.zeros(len(rows["at"]), dtype=bool)
        kept: Column = rows["at"] <= to_micros(position[0]) if position[1] else rows["at"] < to_micros(position[0])
        return kept

    what = phrase("in the changes between games")
    yield from row_problems(books, GAMELESS, moves, settled_moves, books.move_name, what)


def rating_problems(books: VerifiedLeague) -> Iterator[Said]:
    """Yield which current ratings (peaks, last games, display scores too) do not follow from the games."""
    stored = stored_ratings(books.league, books.computed.player, None)
    computed = new_ratings(books)
    books.ratings = len(stored)
    waiting = players_waiting(books, np.union1d(stored.player, computed.player))

    def settled(rows: Rows) -> Column:
        return ~np.isin(rows["player"], waiting)

    def name(rows: Rows, row: int) -> Said:
        return phrase("The rating of {player}", player=books.name(rows["player"][row]))

    rows = stored.by_name(), computed.by_name()
    yield from row_problems(books, RATINGS, rows, settled, name, phrase("in the ratings"))


def new_ratings(books: VerifiedLeague) -> CurrentRatings:
    """Return the ratings that follow from the computed history."""
    lines = books.computed
    if books.states is None:
        return CurrentRatings.nothing()
    # Which rule shows the scores follows from the games, not from what is in the history.
    shown = rule_of_ratings(books.rules, moment_of(lines.at.max()) if len(lines) else None)
    return computed_ratings(books.league, books.rules, shown, books.states, ComputedHistory(lines, books.between))


def players_waiting(books: VerifiedLeague, everybody: Column) -> Column:
    """Return the players whose rating waits for a replay."""
    if books.stale_from is None:
        return everybody[:0]
    if len(books.rules) > 1 or any(system_of(rule).moves_everybody() for rule in books.rules):
        return everybody
    if has_seasons(books.rules):
        return everybody
    waiting = [rows.player[~books.before_stale(rows.at, rows.order_key)] for rows in (books.stored, books.computed)]
    moved = Adjustment.objects.filter(league=books.league).order_by().values_list("player", flat=True)
    return np.union1d(np.concatenate(waiting), np.array(list(moved), dtype=np.int64))


def cell(name: str, value: Any) -> str:
    """Write a cell of a column."""
    if name == "sound":
        return phrase("the cause of its step") if value else phrase("another cause")
    if name not in ("at", "last_at"):
        return format_full(value)
    return phrase("an invalid time") if value == NEVER else str(moment_of(value).replace(tzinfo=None))
