"""The history and the current ratings under ``verify``: compared by columns with what the games give, bit for bit."""

from collections.abc import Iterator

import numpy as np

from league.db.times import moment_of
from league.db.write_columns import Column
from league.models import Adjustment
from league.said import Said, phrase
from league.selectors.rules import rule_at, system_of
from league.selectors.seasons import has_seasons
from league.services.replay.history import FIGURES, matched_lines
from league.services.replay.ratings import RATING_NAMES, Ratings, computed_ratings, row_of, stored_ratings, with_scores
from league.services.verify.books import Books, differing, line_name, otherwise, some


def history_problems(books: Books) -> Iterator[Said]:
    """Yield which lines of the history are not what the games give, and note from when on."""
    stored, computed = books.stored, books.computed
    same, stands = matched_lines(stored, computed)
    extra = np.flatnonzero(~stands & books.not_stale(stored))
    lost = np.flatnonzero(~same & books.not_stale(computed))
    if not len(extra) and not len(lost):
        return
    books.wrong_from = moment_of(min(stored.at[extra].tolist() + computed.at[lost].tolist()))
    old, new = stored.key()[extra], computed.key()[lost]
    keys = np.union1d(old, new)
    count = len(keys) + len(old) - len(np.unique(old))
    sentences = (
        sentence
        for key in keys
        for sentence in line_sentences(books, extra[old == key].tolist(), lost[new == key].tolist())
    )
    yield from some(count, sentences, phrase("of the history"))


def line_sentences(books: Books, extra: list[int], lost: list[int]) -> Iterator[Said]:
    """Yield what differs among the stored and the computed rows of one seat of one game."""
    stored, computed = books.stored, books.computed
    wanted = {line_name(books, computed, row): row for row in lost}
    for row in extra:
        name = line_name(books, stored, row)
        if name not in wanted:
            yield phrase("{fact} must not be there.", fact=name)
            continue
        says, must = differing(stored, row, computed, wanted.pop(name), ("game", "order_key", "at", *FIGURES))
        if not stored.sound[row]:
            says, must = [*says, phrase("another cause")], [*must, phrase("the cause of its step")]
        if says:
            yield otherwise(name, says, must)
    yield from (phrase("{fact} is missing.", fact=name) for name in wanted)


def rating_problems(books: Books) -> Iterator[Said]:
    """Yield which current ratings (peaks, last games, display scores too) do not follow from the games."""
    old = stored_ratings(books.league, books.computed.player, None)
    new = new_ratings(books)
    books.ratings = len(old)
    everybody = np.union1d(old.player, new.player)
    rows = [row_of(found.player, everybody) for found in (old, new)]
    same = (rows[0] >= 0) & (rows[1] >= 0)
    for name in RATING_NAMES:
        same[same] = getattr(old, name)[rows[0][same]] == getattr(new, name)[rows[1][same]]
    wrong = np.flatnonzero(~same & ~np.isin(everybody, players_waiting(books, everybody)))
    sentences = (rating_sentence(books, everybody[at], old, new, rows[0][at], rows[1][at]) for at in wrong.tolist())
    yield from some(len(wrong), sentences, phrase("of the ratings"))


def new_ratings(books: Books) -> Ratings:
    """Return the ratings that follow from the computed history."""
    lines = books.computed
    if books.states is None:
        return Ratings.nothing()
    new = computed_ratings(books.league, books.rules, books.states, lines)
    # Which rule shows the scores follows from the games, not from what stands in the history.
    return with_scores(rule_at(books.rules, moment_of(lines.at.max())) if len(lines) else None, new)


def players_waiting(books: Books, everybody: Column) -> Column:
    """Return the players whose rating waits for a replay."""
    if books.stale_from is None:
        return everybody[:0]
    if len(books.rules) > 1 or any(system_of(rule).moves_everybody() for rule in books.rules):
        return everybody
    if has_seasons(books.rules):
        return everybody
    waiting = [rows.player[~books.not_stale(rows)] for rows in (books.stored, books.computed)]
    moved = Adjustment.objects.filter(league=books.league).order_by().values_list("player", flat=True)
    return np.union1d(np.concatenate(waiting), np.array(list(moved), dtype=np.int64))


def rating_sentence(books: Books, player: int, old: Ratings, new: Ratings, one: int, two: int) -> Said:
    """Return the sentence that tells how a rating differs."""
    name = phrase("The rating of {player}", player=books.name(player))
    if one < 0:
        return phrase("{fact} is missing.", fact=name)
    if two < 0:
        return phrase("{fact} must not be there.", fact=name)
    says, must = differing(old, one, new, two, RATING_NAMES)
    return otherwise(name, says, must)
