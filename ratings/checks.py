"""System checks (``manage.py check``) for incomplete rating systems and ladder methods."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias, TypeVar

from django.core.checks import CheckMessage, Error

from ratings.contract.method import MAX_COLUMNS, Method
from ratings.contract.parameters import ParameterError, WordOrNumber, WordParameter
from ratings.contract.system import ChangePart, FormulaFigure, RatingSystem, StateField
from ratings.describe.filling import find_unknown_keys
from ratings.registry import load_methods, load_systems

Declaration: TypeAlias = type[RatingSystem] | type[Method]
D = TypeVar("D")

TEXTS = ("key", "title", "summary", "source", "formula", "score_label")
DECLARED = (*TEXTS, "min_players", "max_players", "score", "place", "ties", "parts", "examples", "kernel")
#: A rating and its further state columns in the league's tables.
MAX_STATE_VALUES = 4


def check_systems(**options: Any) -> list[CheckMessage]:
    """Return an error for each problem of a rating system."""
    return build_errors(load_systems().values(), find_system_problems, "ratings.E001")


def check_methods(**options: Any) -> list[CheckMessage]:
    """Return an error for each problem of a ladder method."""
    return build_errors(load_methods().values(), find_method_problems, "ratings.E002")


def build_errors(declared: Iterable[D], lacks: Callable[[D], Sequence[str]], code: str) -> list[CheckMessage]:
    """Return an error for each message about a declaration."""
    return [Error(message, obj=declaration, id=code) for declaration in declared for message in lacks(declaration)]


def find_system_problems(system: type[RatingSystem]) -> list[str]:
    """Return a message for each problem of a rating system."""
    return find_undeclared(system, DECLARED) or [
        *_find_missing_words(system),
        *_find_missing_meanings(system),
        *_find_parameter_problems(system),
        *_find_shape_problems(system),
        *find_state_problems(system, system().start()),
        *_find_key_problems(system),
    ]


def find_method_problems(method: type[Method]) -> list[str]:
    """Return a message for each problem of a ladder method."""
    return find_undeclared(method, TEXTS) or [
        *_find_missing_words(method),
        *_find_parameter_problems(method),
        *_find_column_problems(method),
    ]


def find_undeclared(declaration: Declaration, names: Sequence[str]) -> list[str]:
    """Return a message for each missing declaration; other checks need all of them."""
    absent = [name for name in names if not hasattr(declaration, name)] + sorted(declaration.__abstractmethods__)
    messages = [f"It does not declare “{name}”." for name in absent]
    # Without its own decorator a class inherits the (empty) parameters of the base.
    if "__dataclass_fields__" not in vars(declaration):
        messages.append("It is no dataclass; its parameters would not be seen.")
    return messages


def _find_missing_words(declaration: Declaration) -> Iterator[str]:
    """Yield the missing texts and examples."""
    for name in TEXTS:
        if not getattr(declaration, name).strip():
            yield f"Its “{name}” is empty."
    if not declaration.examples:
        yield "It has no worked example."


def _find_missing_meanings(system: type[RatingSystem]) -> Iterator[str]:
    """Yield the problems that would make a change unexplainable."""
    if not system.parts:
        yield "It has no parts: nothing could explain a change."
    numbers: list[StateField | ChangePart | FormulaFigure] = [
        *system.state,
        *system.parts,
        *system.figures,
        *system.pairs,
    ]
    for spec in numbers:
        if not (spec.key and spec.symbol and spec.label):
            yield f"“{spec.key or spec.label}” needs a key, a symbol and a label."
    for key in find_unknown_keys(system):
        yield f"Its “filled”, “told” or “supposed” names “{key}”, which is none of its numbers."
    if system.expectation not in {"", *(figure.key for figure in system.figures)}:
        yield f"Its expectation “{system.expectation}” is none of its figures."


def _find_parameter_problems(declaration: Declaration) -> Iterator[str]:
    """Yield the problems of the parameters, and of the presets and rulings that name them."""
    parameters, defaults = declaration.parameters(), declaration.defaults()
    for name, kind in parameters.items():
        if not (kind.label and kind.help):
            yield f"The parameter “{name}” needs a label and a help text."
        if kind.problem(defaults[name]):
            yield f"The default of the parameter “{name}” is out of its own bounds."
        if isinstance(kind, WordParameter | WordOrNumber) and not all(meaning for _, meaning in kind.options):
            yield f"The parameter “{name}” has a choice without a meaning."
    for preset in declaration.presets:
        try:
            declaration.from_json(preset.parameters)
        except ParameterError as error:
            yield f"The preset “{preset.key}” does not fit: {error}"
    for ruling in declaration.rulings:
        if ruling.parameter and ruling.parameter not in parameters:
            yield f"The ruling {ruling.number} names the parameter “{ruling.parameter}”, which does not exist."


def _find_column_problems(method: type[Method]) -> Iterator[str]:
    """Yield the problems of a method's columns, and of the tie-breaks and examples that name them."""
    if len(method.columns) > MAX_COLUMNS:
        yield f"It has {len(method.columns)} columns; the books have room for {MAX_COLUMNS}."
    for column in method.columns:
        if not (column.key and column.label):
            yield f"The column “{column.key or column.label}” needs a key and a label."
    for name in ("columns", "presets"):
        if repeated := _find_repeated_keys(getattr(method, name)):
            yield f"Its {name} have a key twice: {', '.join(repeated)}."
    keys = [column.key for column in method.columns]
    if "score" in keys:
        yield "No column may have the key “score”: that is the score itself."
    for key in method.tie_breaks:
        if key not in keys:
            yield f"Its tie-break “{key}” is none of its columns."
    for example in method.examples:
        for key in example.expected:
            if key not in ("score", *keys):
                yield f"The example “{example.title}” expects “{key}”, which is none of its columns."


def _find_shape_problems(system: type[RatingSystem]) -> Iterator[str]:
    """Yield inconsistent numbers of players or state fields."""
    if not 2 <= system.min_players <= system.max_players:
        yield "It needs at least two players, and no fewer at most than at least."
    if not 1 <= len(system.state) <= MAX_STATE_VALUES:
        yield f"A player's state has 1 to {MAX_STATE_VALUES} floats; this one has {len(system.state)}."
    start = system().start()
    if len(start) != len(system.state):
        yield f"A player starts with {len(start)} floats, but the state has {len(system.state)}."
    elif not system.lowest_rating <= start[0] <= system.highest_rating:
        yield "A player starts out of the bounds of a rating."


def find_state_problems(system: type[RatingSystem], start: Sequence[float]) -> Iterator[str]:
    """Yield inconsistencies of state fields other than the rating, at the start and in the worked examples."""
    if system.deviates and len(system.state) == 1:
        yield "It says that a rating deviates, but keeps nothing beside the rating."
    for spec, value in zip(system.state[1:], start[1:], strict=False):
        if spec.low is None or spec.high is None or not spec.low < spec.high:
            yield f"The state “{spec.key}” needs a lower and an upper bound, the one below the other."
        elif not spec.low <= value <= spec.high:
            yield f"A player starts out of the bounds of the state “{spec.key}”."
    for example in system.examples:
        for state in (*example.before, *example.after):
            if not isinstance(state, int | float) and len(state) != len(system.state):
                yield f"The example “{example.title}” has a state of {len(state)} floats, not {len(system.state)}."


def _find_key_problems(system: type[RatingSystem]) -> Iterator[str]:
    """Yield repeated or unknown keys."""
    for name in ("state", "parts", "figures", "pairs", "game_fields", "laws", "presets"):
        if repeated := _find_repeated_keys(getattr(system, name)):
            yield f"Its {name} have a key twice: {', '.join(repeated)}."
    if system.performance and system.performance not in [figure.key for figure in system.figures]:
        yield f"Its performance “{system.performance}” is none of its figures."
    if bool(system.performance) != bool(system.performance_label):
        yield "A performance needs a label, and a label a performance."
    if system.display is not RatingSystem.display and not system.score_difference:
        yield "Its leaderboard score is not the rating: “score_difference” must say what lies between the two."


def _find_repeated_keys(specs: Sequence[Any]) -> list[str]:
    """Return the keys that occur more than once, each once."""
    keys = [spec.key for spec in specs]
    return sorted({key for key in keys if keys.count(key) > 1})
