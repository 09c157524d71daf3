"""Every text of the sources is marked for translation: templates by their own tags, sentences of Python by calls."""

import ast
import re
from pathlib import Path

import pytest
from django.template.base import Lexer, TokenType

pytestmark = pytest.mark.one_database("Sources, not books.")
ROOT = Path(__file__).parents[2]
#: What a template says to people in attributes.
TOLD = re.compile(r'\b(title|aria-label|aria-description|alt|placeholder)="([^"]*)"')
WORD = re.compile(r"[A-Za-z]{2,}")
SAME = re.compile(r"\b(Rungs|API|CSV|JSON|UTC|QR|Atom|SVG|PNG|HTML|SHA-256|doctype|html|ms)\b|/leagues/")
BARE = re.compile(r"<(script|style|svg|code|pre)\b.*?</\1>|<!--.*?-->", re.DOTALL)
TRANSLATING = ("blocktranslate", "blocktrans", "comment", "verbatim")
#: For programmers: descriptions of codes, which the API answers in English.
ENGLISH = {"templates/drf_spectacular/redoc.html", "templates/docs/problem.html"}
#: Calls whose sentences somebody reads who must act, and the errors that carry them.
SAYING = {
    "Invalid", "NotFound", "Refused", "Conflict", "Forbidden", "Busy", "Moved", "Problem", "Underway", "Alike",
    "TakenKey", "TakenBack", "ValidationError", "KeyReused", "success", "add_error",
}  # fmt: skip
#: Restoring and moving of leagues is for operators at a terminal, which speaks English.
AT_TERMINALS = "league/services/transfer/"
#: Folders whose refusals reach the desk.
SPEAKING = ("league/services", "league/selectors", "league/admin", "league/desk", "league/pages")


def outside(text: str) -> list[str]:
    """Return the words of a template that stand outside of what is translated."""
    kept, inside = list[str](), False
    for token in Lexer(text).tokenize():
        word = token.contents.split()[0] if token.token_type == TokenType.BLOCK else ""
        inside = word in TRANSLATING or (inside and word.removeprefix("end") not in TRANSLATING)
        kept.append(token.contents if token.token_type == TokenType.TEXT and not inside else "\x01")
    bare = BARE.sub("\x01", "".join(kept))
    pieces = [*re.split(r"<[^>]*>|\x01", bare), *(value for _, value in TOLD.findall(bare))]
    words = (re.sub(r"&[a-z#0-9]+;", " ", piece.replace("\x01", " ")) for piece in pieces)
    return [" ".join(piece.split()) for piece in words if WORD.search(SAME.sub("", piece))]


def templates() -> list[str]:
    """Return every template that people read."""
    found = [path for path in (ROOT / "templates").rglob("*") if path.suffix in (".html", ".txt")]
    return sorted(str(path.relative_to(ROOT)) for path in found)


@pytest.mark.parametrize("name", [name for name in templates() if name not in ENGLISH])
def test_no_template_has_a_word_outside_of_a_translation(name: str) -> None:
    assert outside((ROOT / name).read_text(encoding="utf-8")) == []


def test_the_check_sees_what_is_bare() -> None:
    assert outside('<p title="A title">{% translate "Here" %} there {{ x }}</p>') == ["there", "A title"]
    assert (
        outside("{% blocktranslate trimmed %}All <b>of</b> it{% endblocktranslate %}<svg><text>No</text></svg>") == []
    )


def bare_sentences(source: str) -> list[str]:
    """Return the sentences that calls say as they stand, by line."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name not in SAYING:
            continue
        for given in node.args:
            text = ""
            if isinstance(given, ast.JoinedStr):
                text = "".join(str(part.value) for part in given.values if isinstance(part, ast.Constant))
            elif isinstance(given, ast.Constant) and isinstance(given.value, str):
                text = given.value
            if re.search(r"[A-Za-z]{2,} [a-z]", text):
                found.append(f"{given.lineno}: {text}")
    return found


@pytest.mark.parametrize("folder", SPEAKING)
def test_no_refusal_is_said_in_english_alone(folder: str) -> None:
    bare = {
        str(path.relative_to(ROOT)): found
        for path in sorted((ROOT / folder).rglob("*.py"))
        if not str(path.relative_to(ROOT)).startswith(AT_TERMINALS)
        and (found := bare_sentences(path.read_text(encoding="utf-8")))
    }
    assert bare == {}


def test_the_check_sees_a_bare_refusal() -> None:
    assert bare_sentences('raise Refused(f"{name} is not here.")') == ["1:  is not here."]
    assert bare_sentences('raise Refused(_("{name} is not here.").format(name=name))') == []
