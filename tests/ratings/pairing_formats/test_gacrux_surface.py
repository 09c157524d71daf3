"""What of gacrux is used: an upgrade that renames it or takes other arguments fails here, with the name."""

import ast
import importlib
import inspect
import textwrap
from pathlib import Path

import pytest

from ratings.pairing_formats import quick_gacrux
from ratings.pairing_formats.quick_gacrux import QuickWeights, ReportedPairing, load_engine

PRODUCT = Path(quick_gacrux.__file__).parents[2]
#: What the engine is asked by ``swiss.py``, and what our classes read of their bases.
ASKED = {"compute_pairing", "update_board", "list_edges", "list_nodes", "modify_edges", "update_bsn", "update_color"}


@pytest.mark.parametrize(("name", "ours"), [("pairing_dutch", ReportedPairing), ("crosstable_dutch", QuickWeights)])
def test_each_method_that_calls_its_base_has_one_there(name: str, ours: type) -> None:
    theirs = getattr(importlib.import_module("gacrux.pairingdutch"), name)
    called = 0
    for method, function in inspect.getmembers(ours, inspect.isfunction):
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and is_super(node.value)]
        for call in calls:
            called += 1
            base = inspect.signature(getattr(theirs, call.attr))
            given = inspect.signature(function)
            if call.attr == method and not any(one.kind is one.VAR_POSITIONAL for one in given.parameters.values()):
                assert len(given.parameters) == len(base.parameters), method
    assert called >= 2


def is_super(node: ast.expr) -> bool:
    """Return whether an expression is ``super()``."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def test_the_engine_has_what_is_asked_of_it() -> None:
    theirs = importlib.import_module("gacrux.pairingdutch")
    assert {name for name in ASKED if not callable(getattr(theirs.pairing_dutch, name, None))} == set()
    assert load_engine() is not theirs


def test_one_module_imports_gacrux() -> None:
    found = {
        path.name
        for folder in ("league", "ratings")
        for path in (PRODUCT / folder).rglob("*.py")
        if '"gacrux' in (text := path.read_text(encoding="utf-8")) or "import gacrux" in text or "from gacrux" in text
    }
    assert found == {"quick_gacrux.py"}
