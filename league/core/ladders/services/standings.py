"""Standings as columns: reads the stored ones and makes them equal to the computed ones."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from django.db.models import Case, IntegerField, QuerySet, Value, When

from league.core.db.bulk import TableShape, make_equal, matched
from league.core.db.columns import Column, read_apart
from league.core.ladders.selectors.ladders import VALUES
from league.models import Period, Standing
from ratings.columns.records import Records, Tallies

FIGURES = ("score", *VALUES)
KEYS = dict.fromkeys(("league", "period", "player"), "key")
KINDS = {**KEYS, "games": "whole", "why_not": "text", **dict.fromkeys(FIGURES, "float")}


@dataclass(frozen=True)
class Rows:
    """K standings: period (its key), player, games; figures, columns of K, NaN for none; codes of sentences."""

    period: Column
    player: Column
    games: Column
    figures: dict[str, Column]
    why_not: Column
    sentences: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.player)

    def columns(self) -> dict[str, Column]:
        """Return the rows as columns by field name."""
        whole = {name: getattr(self, name) for name in ("period", "player", "games", "why_not")}
        return {**whole, **self.figures}

    def of(self, which: Column) -> "Rows":
        """Return the selected rows."""
        figures = {name: values[which] for name, values in self.figures.items()}
        return Rows(
            self.period[which], self.player[which], self.games[which], figures, self.why_not[which], self.sentences
        )

    def reworded(self, sentences: Sequence[str]) -> "Rows":
        """Return the rows with codes for these sentences, followed by their own."""
        known = {sentence: code for code, sentence in enumerate(sentences)}
        codes = np.array([known.setdefault(sentence, len(known)) for sentence in self.sentences], dtype=np.int64)
        return replace(self, why_not=codes[self.why_not], sentences=tuple(known))

    def and_also(self, rows: "Rows") -> "Rows":
        """Return these rows followed by others."""
        more = rows.reworded(self.sentences)
        names = ("period", "player", "games", "why_not")
        whole = {name: np.concatenate([getattr(self, name), getattr(more, name)]) for name in names}
        figures = {name: np.concatenate([self.figures[name], more.figures[name]]) for name in FIGURES}
        return Rows(**whole, figures=figures, sentences=more.sentences)


def rows_of(periods: Sequence[Period], found: Iterable[tuple[Records, Tallies]]) -> Rows:
    """Return tallies as rows; ``Records.period`` are positions in ``periods``."""
    keys = np.array([period.pk for period in periods], dtype=np.int64)
    sentences: dict[str, int] = {"": 0}
    names = ("period", "player", "games", "why_not", *FIGURES)
    parts: dict[str, list[Column]] = {
        name: [np.empty(0, np.float64 if name in FIGURES else np.int64)] for name in names
    }
    for records, tallies in found:
        codes = np.array([sentences.setdefault(sentence, len(sentences)) for sentence in tallies.sentences])
        nothing = np.broadcast_to(np.nan, len(records))
        columns = [tallies.score, *tallies.values, *[nothing] * (len(VALUES) - len(tallies.values))]
        whole = [keys[records.period], records.player, tallies.games, codes[tallies.why_not]]
        for name, values in zip(names, [*whole, *columns], strict=True):
            parts[name].append(values)
    joined = {name: np.concatenate(parts.pop(name)) for name in names}
    figures = {name: joined[name] for name in FIGURES}
    return Rows(joined["period"], joined["player"], joined["games"], figures, joined["why_not"], tuple(sentences))


def write_rows(periods: Sequence[Period], rows: Rows) -> set[int]:
    """Make the stored standings of these periods equal to the rows; return the keys of periods that differed."""
    pks, stored = stored_rows(periods, rows.sentences)
    computed = {"league": np.full(len(rows), periods[0].league_id), **rows.columns()}
    same, stands = make_equal(table_of(rows), {"pk": pks, **stored.columns()}, computed, stored_standings(periods))
    return {*np.unique(stored.period[~stands]).tolist(), *np.unique(rows.period[~same]).tolist()}


def stored_standings(periods: Sequence[Period]) -> QuerySet[Standing]:
    """Return the stored standings of periods of one league, unordered."""
    return Standing.objects.filter(league=periods[0].league_id, period__in=periods).order_by()


def stored_rows(periods: Sequence[Period], sentences: Sequence[str], values: int = len(VALUES)) -> tuple[Column, Rows]:
    """Return keys and rows of the stored standings; the code of a sentence not in ``sentences`` is -1.

    ``values``: the number of figures to read in addition to the score; the others are NaN.
    """
    code = Case(
        *(When(why_not=sentence, then=Value(index)) for index, sentence in enumerate(sentences)),
        default=Value(-1),
        output_field=IntegerField(),
    )
    read = FIGURES[: 1 + values]
    found = read_apart(
        stored_standings(periods).values_list("pk", "period_id", "player_id", "games", code, *read),
        pk="key", period="key", player="key", games="whole", why_not="whole", **dict.fromkeys(read, "float"),
    )  # fmt: skip
    nothing = np.broadcast_to(np.nan, len(found["pk"]))
    figures = {name: found.get(name, nothing) for name in FIGURES}
    stored = Rows(found["period"], found["player"], found["games"], figures, found["why_not"], tuple(sentences))
    return found["pk"], stored


def matched_rows(stored: Rows, rows: Rows) -> tuple[Column, Column]:
    """Return which rows are stored bit for bit (NaN is no value), and which stored rows match."""
    return matched(table_of(rows), stored.columns(), rows.columns())


def table_of(rows: Rows) -> TableShape:
    """Return the table shape for comparing rows with stored ones, and writing them."""
    return TableShape(
        Standing, ("period", "player"), ("games", "why_not", *FIGURES), KINDS, {"why_not": rows.sentences}
    )
