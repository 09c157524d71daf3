"""A rating change with its numbers filled in, as a formula that readers can check and as a sentence.

A system declares both as templates. Keys are looked up among figures, parts, the state before the game and parameters,
in this order; ``points`` is the score on the sheet, ``counted`` the score that the kernel receives (negated if the
lowest wins), ``name`` the player. In ``filled`` a term with ``?`` is omitted if it rounds to 0, and ``Σ(…)`` is a sum
over the opponents with the figures of their pairs. In ``told`` (and ``supposed``, for a game that has not been
played) ``{rating:1}`` has one decimal, ``{weight:%}`` is a percentage, ``{points}`` is unrounded, and
``{points−expected:1}`` gives the difference of two rounded numbers in words.
"""

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from ratings.contract.parameters import format_all_digits
from ratings.contract.system import GameSheet, RatingSystem, index_state_by_key
from ratings.contract.wording import format_plain
from ratings.run.replay import RatedGame, build_sheet_results
from ratings.texts import N_, localize_number, round_as_printed, say, write_as_printed

#: Decimals of a formula's result; the numbers in the formula reproduce all of them.
DECIMALS = 4
#: Decimals of a number in a formula.
MIN_DIGITS, MAX_DIGITS = 3, 15
SUM = re.compile(r"Σ\(([^()]*)\)")
MAYBE = re.compile(r" \+ (\w+)\?")
NUMBER = re.compile(r"([+−] )?([a-z_]+(?:@\d+)?)")
FIELD = re.compile(r"\{(\w+)(?:−(\w+))?(?::(\d*)(%?))?\}")
SIGNS: Mapping[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.USub: operator.neg,
}


class SeatTold(NamedTuple):
    """One player's change: its parts in the order declared, its formula and its sentence."""

    change: float
    parts: list[float]
    line: str
    sentence: str


def describe_table(
    system: RatingSystem, sheet: GameSheet, rated: RatedGame, names: Sequence[str], *, supposed: bool = False
) -> list[SeatTold]:
    """Return every player's change of a game, in seat order; ``supposed``: it has not been played."""
    # + 0.0 turns -0.0 into 0.0.
    return [
        SeatTold(
            rated.change[seat],
            [value + 0.0 for value, _ in zip(rated.parts[seat], system.parts, strict=False)],
            # Localised last: before, the formula is evaluated.
            localize_number(formula),
            describe_change(system, sheet, rated, seat, name, supposed=supposed),
        )
        for seat, (name, formula) in enumerate(zip(names, fill_formulas(system, sheet, rated), strict=True))
    ]


def fill_formulas(system: RatingSystem, sheet: GameSheet, rated: RatedGame) -> list[str]:
    """Return the formula of every seat's change with its numbers, all with as many decimals as one result needs."""
    seats = [_choose_formula(system, sheet, rated, seat) for seat in range(len(rated.change))]
    digits = max((needed for _text, _values, needed in seats), default=MIN_DIGITS)
    return [insert_numbers(text, values, digits) for text, values, _needed in seats]


def _choose_formula(
    system: RatingSystem, sheet: GameSheet, rated: RatedGame, seat: int
) -> tuple[str, Mapping[str, float], int]:
    """Return the formula of a seat's change with its keys, their numbers, and the decimals that its result needs."""
    wording = system.wording()
    values, change = index_values_by_key(system, sheet, rated, seat), rated.change[seat]
    terms = " + ".join(f"{part.key}?" for part in wording.parts)
    for line in (wording.filled, f"0 + {terms}"):
        expanded = SUM.sub(lambda match: sum_over_opponents(match[1], sheet.captains, seat), line)
        text = MAYBE.sub(lambda match: "" if (round(values[match[1]], DECIMALS) == 0.0) else f" + {match[1]}", expanded)
        text = text.removeprefix("0 + ")
        for digits in range(MIN_DIGITS, MAX_DIGITS + 1) if text else ():
            if reproduces(insert_numbers(text, values, digits), change):
                return text, values, digits
    return text, values, MAX_DIGITS


def find_unknown_keys(system: type[RatingSystem]) -> list[str]:
    """Return the keys in a system's templates that are none of its numbers."""
    numbers = {"points", "counted", "name", *system.parameters()}
    for specs in (system.state, system.parts, system.figures):
        numbers |= {spec.key for spec in specs}
    pairs = {spec.key for spec in system.pairs}
    of_pairs = {key for term in SUM.findall(system.filled) for key in re.findall(r"[a-z_]+", term)}
    keys = set(re.findall(r"[a-z_]+", SUM.sub("", system.filled)))
    keys |= {key for field in FIELD.finditer(system.told + system.supposed) for key in field.groups()[:2] if key}
    return sorted((keys - numbers) | (of_pairs - pairs))


def index_values_by_key(system: RatingSystem, sheet: GameSheet, rated: RatedGame, seat: int) -> dict[str, float]:
    """Return every number of a seat by key; numbers of its pairs as key@opponent, counted from 0."""
    wording = system.wording()
    score = sheet.scores[seat]
    counted = build_sheet_results(system, sheet)[seat][0]
    values: dict[str, float] = {} if score is None else {"points": score, "counted": counted}
    values |= {key: value for key, value in system.to_json().items() if not isinstance(value, str)}
    values |= index_state_by_key(system, rated.before[seat])
    values |= {spec.key: value for spec, value in zip(wording.parts, rated.parts[seat], strict=False)}
    values |= {spec.key: value for spec, value in zip(wording.figures, rated.figures[seat], strict=False)}
    if "Σ" in wording.filled:
        for opponent, row in enumerate(rated.pairs[seat]):
            values |= {f"{spec.key}@{opponent}": value for spec, value in zip(wording.pairs, row, strict=False)}
    return values


def sum_over_opponents(term: str, sides: Sequence[int], seat: int) -> str:
    """Return the sum of a term over the opponents of a seat, given the side of each seat."""
    opponents = [other for other, side in enumerate(sides) if side != sides[seat]]
    summands = [re.sub(r"[a-z_]+", lambda key: f"{key[0]}@{other}", term) for other in opponents]  # noqa: B023 -- used at once
    return "(" + " + ".join(f"({summand})" for summand in summands) + ")"


def insert_numbers(text: str, values: Mapping[str, float], digits: int) -> str:
    """Return a formula with numbers for its keys; a negative one flips the sign before it, or is in brackets."""

    def write(match: re.Match[str]) -> str:
        sign, value = match[1] or "", values[match[2]]
        number = format_number(abs(value), digits)
        if value >= 0.0 or number == "0":
            return sign + number
        if sign.startswith("+"):
            return f"− {number}"
        opens = not sign and (match.start() == 0 or match.string[match.start() - 1] == "(")
        return f"−{number}" if opens else f"{sign}(−{number})"

    return NUMBER.sub(write, text)


def format_number(size: float, digits: int) -> str:
    """Return a number of at least 0 with ``digits`` decimals; below 0.01, with ``digits`` significant digits."""
    zeros = -1 - math.floor(math.log10(size)) if 0.0 < size < 0.01 else 0
    text = f"{size:.{digits + zeros}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def reproduces(text: str, change: float) -> bool:
    """Return whether a formula evaluates to the printed change."""
    try:
        return round(evaluate_formula(text), DECIMALS) == round(change, DECIMALS)
    except ZeroDivisionError:
        return False


def evaluate_formula(text: str) -> float:
    """Evaluate a formula of numbers."""
    return evaluate_node(ast.parse(text.replace("×", "*").replace("−", "-"), mode="eval").body)


def evaluate_node(node: ast.AST) -> float:
    """Evaluate a node of a formula."""
    if isinstance(node, ast.BinOp):
        return SIGNS[type(node.op)](evaluate_node(node.left), evaluate_node(node.right))
    if isinstance(node, ast.UnaryOp):
        return SIGNS[type(node.op)](evaluate_node(node.operand))
    assert isinstance(node, ast.Constant)
    return float(node.value)  # type: ignore[arg-type]  # a number: names were filled in


def describe_change(
    system: RatingSystem, sheet: GameSheet, rated: RatedGame, seat: int, name: str, *, supposed: bool = False
) -> str:
    """Describe a seat's change, and the team's value if the seat has a partner; empty if there is none."""
    values, wording = index_values_by_key(system, sheet, rated, seat), system.wording()
    template = str((supposed and wording.supposed) or wording.told)
    text = FIELD.sub(lambda field: name if field[1] == "name" else format_field(field, values), template)
    partnered = sheet.captains.count(sheet.captains[seat]) > 1
    of_sides = {spec.key: spec for spec in wording.figures if spec.of_sides and partnered}
    side_fields = (field for field in FIELD.finditer(template) if field[1] in of_sides and not field[2])
    if (field := next(side_fields, None)) is None:
        return text
    number, label = format_field(field, values), str(of_sides[field[1]].label)
    addition = N_("{sentence} {number} is the team's value: {label}.")
    return say(addition, sentence=text, number=number, label=label)


def format_field(field: re.Match[str], values: Mapping[str, float]) -> str:
    """Return the text of a field in a sentence."""
    value, other = values[field[1]], values[field[2]] if field[2] else None
    if field[4]:
        share = _round_share(value)
        if other is None:
            return say("{number}%", number=localize_number(f"{share:f}"))
        return format_difference_of_shares(share - _round_share(other))
    if not field[3]:
        return format_plain(value)
    decimals = int(field[3])
    if other is None:
        return localize_number(write_as_printed(value, decimals).replace("-", "−"))
    # A score is printed with all its digits.
    printed = (
        Decimal(format_all_digits(value)) if field[1] in ("points", "counted") else round_as_printed(value, decimals)
    )
    return format_difference(printed - round_as_printed(other, decimals))


def _round_share(value: float) -> Decimal:
    """Return a share in per cent as printed: with decimals but for whole per cents, such as those of a result."""
    if round(100.0 * value, 9).is_integer():
        return Decimal(round(100.0 * value))
    return round_as_printed(100.0 * value, 2 if value < 0.1 else 1)


def format_difference_of_shares(difference: Decimal) -> str:
    """Return a difference between per cents in words."""
    if not difference:
        return say("as expected")
    points = localize_number(f"{abs(difference):f}")
    if difference > 0:
        return say("{points} percentage points more", points=points)
    return say("{points} percentage points less", points=points)


def format_difference(difference: Decimal) -> str:
    """Return a difference in words, with the decimals of what is compared."""
    if not difference:
        return say("the same")
    amount = localize_number(f"{abs(difference):f}")
    return say("{amount} more", amount=amount) if difference > 0 else say("{amount} less", amount=amount)
