"""Explanations of rating changes: the numbers of the calculation under the source's symbols, and a sentence."""

from collections.abc import Sequence
from typing import TypedDict

from ratings.contract.system import ChangePart, FormulaFigure, GameSheet, RatingSystem, index_state_by_key
from ratings.contract.wording import Wording
from ratings.run.replay import RatedGame
from ratings.texts import localize_number, round_as_printed, say, write_as_printed


class ExplainedValue(TypedDict):
    """A number of the calculation with its symbol in the source and its label."""

    key: str
    symbol: str
    label: str
    value: float


class SeatExplained(TypedDict):
    """One player's change; the values of ``parts``, added in order, give ``change``.

    ``before`` and ``after`` are the complete state by key; the first field is the rating, whatever its key.
    """

    seat: int
    score: float | None
    place: int | None
    side: int | None
    games: int
    before: dict[str, float]
    rating_before: float
    figures: list[ExplainedValue]
    parts: list[ExplainedValue]
    change: float
    after: dict[str, float]
    rating_after: float
    performance: float | None
    words: str


class PairExplained(TypedDict):
    """The figures of two players of different sides (seats counted from 1)."""

    seats: list[int]
    figures: list[ExplainedValue]


class Explanation(TypedDict):
    """The explanation of a rated game as JSON: seats in order, pairs in the order (1, 2), (1, 3), (2, 3)."""

    seats: list[SeatExplained]
    pairs: list[PairExplained]
    shift: float


def explain(system: RatingSystem, sheet: GameSheet, rated: RatedGame) -> Explanation:
    """Explain a game that ``rate_game`` has rated under ``system``.

    ``games`` counts the player's games, this one included. ``shift`` is the change of everyone's rating,
    0 in systems that change only the players at the table.
    """
    size, wording, sides = sheet.size, system.wording(), sheet.captains
    return {
        "seats": [explain_seat(system, wording, sheet, rated, seat) for seat in range(size)],
        "pairs": [
            {"seats": [i + 1, j + 1], "figures": explain_values(wording.pairs, rated.pairs[i][j])}
            for i in range(size if wording.pairs else 0)
            for j in range(i + 1, size)
            if sides[i] != sides[j]
        ],
        "shift": rated.shift - rated.shift_before + 0.0,
    }


def explain_seat(
    system: RatingSystem, wording: Wording, sheet: GameSheet, rated: RatedGame, seat: int
) -> SeatExplained:
    """Explain the change of one seat, counted from 0."""
    parts = explain_values(wording.parts, rated.parts[seat])
    change = rated.change[seat]
    return {
        "seat": seat + 1,
        "score": sheet.scores[seat],
        "place": sheet.places[seat],
        "side": sheet.sides[seat] if sheet.sides else None,
        "games": int(rated.games[seat]),
        "before": index_state_by_key(system, rated.before[seat]),
        "rating_before": rated.before[seat][0],
        "figures": [
            value
            for spec, value in zip(wording.figures, explain_values(wording.figures, rated.figures[seat]), strict=True)
            if sheet.sides or not spec.of_sides
        ],
        "parts": parts,
        "change": change,
        "after": index_state_by_key(system, rated.after[seat]),
        "rating_after": rated.after[seat][0],
        "performance": rated.performance[seat] if system.performance else None,
        "words": format_change_sentence(system, change, [part["value"] for part in parts]),
    }


def explain_values(specs: Sequence[FormulaFigure | ChangePart], row: Sequence[float]) -> list[ExplainedValue]:
    """Return the declared numbers of a row with their symbols; further ones are dropped."""
    return [
        # + 0.0 turns -0.0 into 0.0.
        {"key": spec.key, "symbol": spec.symbol, "label": spec.label, "value": row[column] + 0.0}
        for column, spec in enumerate(specs)
    ]


def format_change_sentence(system: RatingSystem, change: float, parts: Sequence[float]) -> str:
    """Return a sentence such as "+18: +2.00 inflation, +16.00 Durak result."; parts that round to 0 are omitted."""
    decimals = max(system.decimals, 2)
    terms = [
        f"{format_signed(value, decimals)} {name_in_words(spec)}"
        for spec, value in zip(system.wording().parts, parts, strict=True)
        if round_as_printed(value, decimals)
    ]
    summary = ", ".join(terms) or say("this rating has not changed")
    return f"{format_signed(change, system.decimals)}: {summary}."


def name_in_words(part: ChangePart) -> str:
    """Return the name of a part within a sentence."""
    return str(part.words) if part.words else part.label[:1].lower() + part.label[1:]


def format_signed(value: float, decimals: int) -> str:
    """Return a number with its sign and ``decimals`` decimals; zero has no sign."""
    return localize_number(write_as_printed(value, decimals, "+"))
