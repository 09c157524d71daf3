"""What must hold in the history as it stands, under ``verify``: chains, the systems' laws, games and their numbers."""

from collections.abc import Iterator
from itertools import islice

import numpy as np

from league.db.write_columns import Column, read_columns
from league.models import Game, InitialRating
from league.said import Said, phrase
from league.selectors.rules import system_of
from league.services.replay.history import Chained, GameLog
from league.services.replay.states import start_of
from league.services.verify.between import lines_of
from league.services.verify.books import BETWEEN, Books, line_name, some
from ratings.contract.system import Law, RatingSystem
from ratings.run.replay import first_seats

#: So many games are held to their laws at once.
CHUNK = 20_000
#: Games that break a law are not looked for beyond so many.
MOST = 100_000


def chain_problems(books: Books) -> Iterator[Said]:
    """Yield where a player's lines do not follow one from the other, begin elsewhere, or do not add up."""
    kept = np.flatnonzero(books.not_stale(books.stored))
    rows = Chained.joined([Chained.cut(books.stored, kept), moves(books)])
    rows = rows.of(np.lexsort((rows.step, rows.games, rows.player)))
    first = np.ones(len(rows), dtype=bool)
    first[1:] = rows.player[1:] != rows.player[:-1]
    before = np.empty(len(rows))
    before[1:] = rows.after[:-1]
    before[first] = starts_of(books, rows.player[first])
    broken = np.flatnonzero(rows.before != before)
    sentences = (chain_sentence(books, rows, row, before[row], bool(first[row])) for row in broken.tolist())
    yield from some(len(broken), sentences, phrase("of the chains"))
    yield from count_problems(books, rows, first)
    game = rows.step == 1
    summed = game | (rows.step == BETWEEN)
    adds_up = np.where(summed, rows.before + rows.change == rows.after, rows.after - rows.before == rows.change)
    wrong = np.flatnonzero(~adds_up)
    sums = (
        phrase("{fact} does not add up: before and change do not give after.", fact=line_name(books, rows, row))
        for row in wrong.tolist()
    )
    yield from some(len(wrong), sums, phrase("of the sums"))


def moves(books: Books) -> Chained:
    """Return the lines that no game made, in the order of time, as links of the chains."""
    if not books.league.eventful:
        return Chained.nothing()
    lines = lines_of(books).stored
    none = np.zeros(len(lines), dtype=np.int64)
    columns = lines.by_name()
    return Chained(**{name: columns[name] for name in ("player", "games", "before", "change", "after")},
                   number=none, seat=none, step=none + BETWEEN)  # fmt: skip


def chain_sentence(books: Books, rows: Chained, row: int, before: float, first: bool) -> Said:
    """Return the sentence that tells where a chain breaks."""
    values = {"fact": line_name(books, rows, row), "value": rows.before[row], "other": before}
    if first:
        return phrase("{fact} begins at {value}, not with a start at {other}.", **values)
    return phrase("{fact} begins at {value}, not with the line before it, which ends at {other}.", **values)


def starts_of(books: Books, players: Column) -> Column:
    """Return where players begin."""
    if not books.rules:
        return np.full(len(players), np.nan)
    own = dict(InitialRating.objects.filter(league=books.league).values_list("player_id", "rating"))
    system = system_of(books.rules[0])
    return np.array([start_of(system, own.get(player))[0] for player in players.tolist()], dtype=np.float64)


def count_problems(books: Books, rows: Chained, first: Column) -> Iterator[Said]:
    """Yield where the games of a player are not counted one by one; rows are in the players' order."""
    own = np.flatnonzero(rows.step == 1)
    begins = np.maximum.accumulate(np.where(first, np.arange(len(first)), 0))
    games = np.cumsum(rows.step == 1)
    counted = games[own] - (games - (rows.step == 1))[begins[own]]
    wrong = np.flatnonzero(rows.games[own] != counted)
    sentences = (
        phrase("{fact} must be the player's game {count}.", fact=line_name(books, rows, own[row]), count=counted[row])
        for row in wrong.tolist()
    )
    yield from some(len(wrong), sentences, phrase("of the counts of games"))


def law_problems(books: Books) -> Iterator[Said]:
    """Yield the games whose stored changes break a law that their system declares."""
    laws = [(system_of(rule), type(system_of(rule)).laws) for rule in books.rules]
    if not any(own for _, own in laws):
        return
    found = list(islice(broken_laws(books, laws), MOST))
    sentences = (
        phrase(
            "Game {number} breaks a law of {system}: {law}",
            number=number,
            # The ratings' own catalogue texts.
            system=phrase(str.__str__(system.title)),
            law=phrase(str.__str__(law.sentence)),
        )
        for number, system, law in found
    )
    yield from some(len(found), sentences, phrase("of the laws"))


def broken_laws(
    books: Books, laws: list[tuple[RatingSystem, tuple[Law, ...]]]
) -> Iterator[tuple[int, RatingSystem, Law]]:
    """Yield game number, system and law for every game that breaks one."""
    rows = np.flatnonzero((books.stored.step == 1) & books.not_stale(books.stored))
    rows = rows[np.argsort(books.stored.key()[rows], kind="stable")]
    number = books.stored.number[rows]
    begins = np.flatnonzero(np.r_[True, number[1:] != number[:-1]]) if len(rows) else np.empty(0, dtype=np.int64)
    rule, uneven = rule_indices(books, number[begins]), uneven_games(books.log)
    ends = [*begins[1:].tolist(), len(rows)]
    for start in range(0, len(begins), CHUNK):
        low = begins[start]
        high = ends[min(start + CHUNK, len(begins)) - 1]
        changes = books.stored.change[rows[low:high]].tolist()
        afters = books.stored.after[rows[low:high]].tolist()
        for game in range(start, min(start + CHUNK, len(begins))):
            if rule[game] < 0:
                continue
            system, own = laws[rule[game]]
            numbered, part = int(number[begins[game]]), slice(begins[game] - low, ends[game] - low)
            for law in own:
                if (law.uneven or numbered not in uneven) and not law.holds(system, changes[part], afters[part]):
                    yield numbered, system, law


def uneven_games(log: GameLog) -> set[int]:
    """Return the numbers of the games at which sides of different sizes met."""
    if log.sides is None or not len(log.players):
        return set()
    sizes = np.diff(log.offsets)
    starts = np.repeat(log.offsets[:-1], sizes)
    captains = starts + first_seats(log.offsets, log.sides).astype(np.int64)
    together = np.bincount(captains)[captains]
    # No game is without results; one in which a side has as many players as the first one has is even.
    uneven = np.bincount(np.repeat(np.arange(len(sizes)), sizes), together != together[starts]) > 0
    numbers: set[int] = set(log.numbers[uneven].tolist())
    return numbers


def rule_indices(books: Books, numbers: Column) -> list[int]:
    """Return which rule rated the games of these numbers; -1 for games that none rates."""
    if not len(books.log.numbers):
        return [-1] * len(numbers)
    order = np.argsort(books.log.numbers, kind="stable")
    found = np.minimum(np.searchsorted(books.log.numbers, numbers, sorter=order), len(order) - 1)
    position = order[found]
    rule = np.searchsorted(books.edges, position, side="right") - 1
    indices: list[int] = np.where(books.log.numbers[position] == numbers, rule, -1).tolist()
    return indices


def fact_problems(books: Books) -> Iterator[Said]:
    """Yield gaps of the numbers, and games that have not one change a result, or must have none."""
    numbers = read_columns(books.league.games.order_by("number").values_list("number"), number="key")["number"]
    last = books.league.last_number
    missing = np.setdiff1d(np.arange(1, max([last, *numbers[-1:].tolist()]) + 1), numbers)
    yield from some(
        len(missing),
        (phrase("Game {number} is missing: numbers have no gap.", number=number) for number in missing),
        phrase("of the numbers"),
    )
    if len(numbers) and numbers[-1] > last:
        yield phrase("The league says that its last game is {last}; it is {other}.", last=last, other=numbers[-1])
    log, stored = books.log, books.stored
    game = stored.game[(stored.step == 1) & books.not_stale(stored)]
    rated = books.before_stale(log.moments, log.order_keys)
    rated[: books.edges[0] if books.edges else len(rated)] = False
    order = np.argsort(log.games, kind="stable")
    found = np.searchsorted(log.games, game, sorter=order)
    known = found < len(order)
    known[known] = log.games[order[found[known]]] == game[known]
    counts = np.bincount(order[found[known]], minlength=len(order))
    sizes = np.diff(log.offsets)
    wrong = np.flatnonzero((counts != sizes) & rated)
    sentences = (
        phrase(
            "Game {number} has {results} results and {changes} rating changes.",
            number=log.numbers[row],
            results=sizes[row],
            changes=counts[row],
        )
        for row in wrong.tolist()
    )
    yield from some(len(wrong), sentences, phrase("of the games"))
    strangers = np.unique(game[~known])
    sentences = (stranger_sentence(pk) for pk in strangers.tolist())
    yield from some(len(strangers), sentences, phrase("of games that are not rated"))


def stranger_sentence(pk: int) -> Said:
    """Return why a game must not have rating changes."""
    game = Game.objects.filter(pk=pk).first()
    if game is None:
        return phrase("The history has changes of a game that is not there (key {key}).", key=pk)
    if game.voided_at is not None:
        return phrase("Game {number} is void, but the history has changes of it.", number=game.number)
    return phrase("Game {number} is not to be rated here, but the history has changes of it.", number=game.number)
