"""Where a kernel finds its columns: constants named by the keys, in the order of the declaration, and no bare numbers.

A field that is put between two others moves every later column; a kernel that goes on reading the old ones would
still give plausible ratings.
"""

import ast
import inspect
import re
import sys
from collections.abc import Mapping, Sequence

import pytest

from ratings.contract.parameters import WordParameter
from ratings.contract.system import RatingSystem
from ratings.systems.elo import Elo
from tests.helpers.dropping import every_system_there_is

#: What a kernel's arrays hold in their last dimension.
ARRAYS = {
    "before": "state", "after": "state", "parts": "parts", "figures": "figures", "pairs": "pairs",
    "parameters": "parameters", "fields": "game_fields",
}  # fmt: skip


def declared(system: type[RatingSystem]) -> dict[str, list[str]]:
    """Return kind -> keys in the order of the declaration; the words of each choice are a kind of their own."""
    specified = set(ARRAYS.values()) - {"parameters", "results"}
    kinds = {kind: [spec.key for spec in getattr(system, kind)] for kind in specified}
    kinds["parameters"] = list(system.parameters())
    kinds["game_fields"] += ["weight"] * system.weights + ["day"] * system.timed
    kinds["results"] = ["score", "place"] + ["side"] * system.sides
    for name, kind in system.parameters().items():
        if isinstance(kind, WordParameter):
            kinds[f"words of {name}"] = [word for word, _ in kind.options]
    return kinds


def means(name: str, key: str) -> bool:
    """Tell whether a constant bears a key: in capitals, perhaps behind one letter."""
    return name.lower() == key or re.sub(r"^[A-Z]_", "", name).lower() == key


def groups(tree: ast.Module) -> list[list[str]]:
    """Return the constants that a module numbers by ``range``, a list a statement."""
    found = []
    for line in tree.body:
        if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Tuple) and isinstance(line.value, ast.Call):
            names = [name.id for name in line.targets[0].elts if isinstance(name, ast.Name)]
            found.append(names)
    return found


def aliases(tree: ast.Module) -> dict[str, str]:
    """Return the constants that are other names of such ones."""
    found = {}
    for line in tree.body:
        if not (isinstance(line, ast.Assign) and isinstance(line.value, ast.Tuple)):
            continue
        assert isinstance(line.targets[0], ast.Tuple)
        for name, other in zip(line.targets[0].elts, line.value.elts, strict=True):
            if isinstance(name, ast.Name) and isinstance(other, ast.Name):
                found[name.id] = other.id
    return found


def kinds_of(names: Sequence[str], kinds: Mapping[str, Sequence[str]]) -> set[str]:
    """Return of which kinds these are the first keys, in order."""
    return {
        kind
        for kind, keys in kinds.items()
        if len(names) <= len(keys) and all(means(name, key) for name, key in zip(names, keys, strict=False))
    }


def base(node: ast.expr) -> str:
    """Return the name of the array of a subscript."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def depth(node: ast.expr) -> int:
    """Return how many subscripts there are."""
    return 1 + depth(node.value) if isinstance(node, ast.Subscript) else 0


def wrong(system: type[RatingSystem], source: str) -> list[str]:
    """Return a sentence for everything that a kernel's constants say otherwise than its declaration."""
    tree, kinds = ast.parse(source), declared(system)
    known: dict[str, set[str]] = {}
    sentences = []
    for names in groups(tree):
        of = kinds_of(names, kinds)
        if not of:
            sentences.append(f"{', '.join(names)} are the first keys of nothing that is declared.")
        known |= dict.fromkeys(names, of)
    known |= {name: known[other] for name, other in aliases(tree).items() if other in known}
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript):
            sentences += wrong_column(node, known)
        if isinstance(node, ast.Compare):
            sentences += wrong_word(node, kinds)
    return sentences


def wrong_column(node: ast.Subscript, known: Mapping[str, set[str]]) -> list[str]:
    """Return what is wrong with a subscript into one of the kernel's arrays."""
    kind = ARRAYS.get(base(node))
    whole = {"parameters": 1, "game_fields": 1, "pairs": 3}.get(kind or "", 2)
    if kind is None or depth(node) != whole:
        return []
    text, column = ast.unparse(node), node.slice
    if isinstance(column, ast.Constant):
        # The rating is the first of a state whatever its key is.
        return [] if (kind, column.value) == ("state", 0) else [f"{text} finds its column by a bare number."]
    if isinstance(column, ast.Name) and column.id in known and kind not in known[column.id]:
        return [f"{text} finds its column by a constant of {' and '.join(sorted(known[column.id]))}."]
    return []


def wrong_word(node: ast.Compare, kinds: Mapping[str, Sequence[str]]) -> list[str]:
    """Return what is wrong with a comparison of a choice."""
    left = node.left
    if not (isinstance(left, ast.Subscript) and base(left) == "parameters" and isinstance(left.slice, ast.Name)):
        return []
    chosen = any(f"words of {key}" in kinds for key in kinds["parameters"] if means(left.slice.id, key))
    if chosen and isinstance(node.comparators[0], ast.Constant):
        return [f"{ast.unparse(node)} names a choice by a bare number."]
    return []


@pytest.mark.parametrize("system", every_system_there_is(), ids=lambda system: system.key)
def test_a_kernel_finds_its_columns_where_the_declaration_has_them(system: type[RatingSystem]) -> None:
    source = inspect.getsource(sys.modules[system.__module__])
    assert groups(ast.parse(source))
    assert wrong(system, source) == []


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            "K, SCALE, PROV",
            "SCALE, K, PROV",
            "SCALE, K, PROVISIONAL_GAMES, PROVISIONAL_K, INITIAL",
        ),
        ("P_RESULT, P_EXPECTATION = range(2)", "P_EXPECTATION, P_RESULT = range(2)", "P_EXPECTATION, P_RESULT are the"),
        ("parameters[SCALE]", "parameters[1]", "parameters[1] finds its column by a bare number."),
        ("figures[i][F_K]", "figures[i][P_RESULT]", "figures[i][P_RESULT] finds its column by a constant of parts."),
        ("before[j][0]", "before[j][1]", "before[j][1] finds its column by a bare number."),
    ],
)
def test_a_kernel_that_reads_other_columns_is_found(old: str, new: str, sentence: str) -> None:
    source = inspect.getsource(sys.modules[Elo.__module__])
    assert old in source
    (said,) = {told for told in wrong(Elo, source.replace(old, new, 1)) if told.startswith(sentence)}
    assert said


def test_a_choice_by_a_bare_number_is_found() -> None:
    (system,) = [one for one in every_system_there_is() if one.key == "preferans"]
    source = inspect.getsource(sys.modules[system.__module__])
    assert wrong(system, source.replace("parameters[TIE_BONUS] == B_NONE", "parameters[TIE_BONUS] == 0.0")) == [
        "parameters[TIE_BONUS] == 0.0 names a choice by a bare number."
    ]
