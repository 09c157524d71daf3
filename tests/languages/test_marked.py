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
SAME = re.compile(r"\b(Rungs|API|CSV|JSON|UTC|QR|TRF|Atom|SVG|PNG|PDF|HTML|SHA-256|doctype|html|ms)\b|/leagues/")
BARE = re.compile(r"<(script|style|svg|code|pre)\b.*?</\1>|<!--.*?-->", re.DOTALL)
TRANSLATING = ("blocktranslate", "blocktrans", "comment", "verbatim")
#: For programmers: descriptions of codes, which the API answers in English.
ENGLISH = {
    f"templates/web/api/{name}.html" for name in ("problem", "reference", "operations", "operation", "fields", "type")
}
#: Calls whose sentences somebody reads who must act, and the errors that carry them.
SAYING = {
    "Invalid", "NotFound", "Refused", "Conflict", "Forbidden", "Busy", "Moved", "Problem", "Underway", "Alike",
    "TakenKey", "RolledBack", "ValidationError", "KeyReused", "success", "add_error",
}  # fmt: skip
#: Calls that mark a text.
MARKING = {"_", "gettext", "gettext_noop", "ngettext", "phrase", "phrase_many"}
#: What is found there is kept in English, and read in the language of who looks (``league.core.text.stored_messages``).
FINDING = "league/core/verify"
#: Folders whose refusals reach the desk.
SPEAKING = ("league/core", "league/apps", "league/web/organiser", "league/web/public", "league/web/sign_in")


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
        if called(node) not in SAYING:
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
        if (found := bare_sentences(path.read_text(encoding="utf-8")))
    }
    assert bare == {}


def test_the_check_sees_a_bare_refusal() -> None:
    assert bare_sentences('raise Refused(f"{name} is not here.")') == ["1:  is not here."]
    assert bare_sentences('raise Refused(_("{name} is not here.").format(name=name))') == []


def bare_findings(source: str) -> list[str]:
    """Return what reads like a sentence, or a piece of one, and is not marked; docstrings are for programmers.

    A plain text is one where it begins with a capital or ends with a full stop; an f-string wherever it has words, and
    so is every text that is yielded, appended or added.
    """
    tree = ast.parse(source)
    let_be: set[ast.AST] = set()
    said: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr | ast.Assert):
            let_be |= {part for part in ast.iter_child_nodes(node) if isinstance(part, ast.Constant)}
        elif isinstance(node, ast.Expr):
            let_be.add(node.value)
        elif isinstance(node, ast.Yield) and node.value:
            said.add(node.value)
        elif isinstance(node, ast.Call) and called(node) in MARKING:
            let_be |= set(node.args)
        elif isinstance(node, ast.Call) and called(node) in ("add", "append"):
            said |= set(node.args[-1:])
    texts = ((node, text_of(node)) for node in ast.walk(tree) if node not in let_be)
    return [
        f"{getattr(node, 'lineno', 0)}: {text}"
        for node, text in texts
        if re.search(r"[A-Za-z]{2,} [a-z]", text)
        and (node in said or isinstance(node, ast.JoinedStr) or re.search(r"^[A-Z]|\.$", text))
    ]


def called(node: ast.Call) -> str:
    """Return the name of what is called."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def text_of(node: ast.AST) -> str:
    """Return the words of a text, with a gap for what an f-string fills in."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def test_nothing_is_found_in_english_alone() -> None:
    paths = sorted((ROOT / FINDING).glob("*.py"))
    assert len(paths) > 10
    bare = {path.name: found for path in paths if (found := bare_findings(path.read_text(encoding="utf-8")))}
    assert bare == {}


@pytest.mark.parametrize(
    "source",
    [
        'findings.add("games", 5, 0, "game 5 is lost")',
        'findings.add("games", number, 0, f"{number} is lost")',
        "def look():\n    yield f'Game {number} is lost.'",
        "def look():\n    yield 'the log is lost'",
        'found.append("the log is lost")',
        'sentence = "The log is lost."',
        "def name():\n    return f'the head of {day}'",
        "def name():\n    return 'The log is lost.'",
        'sentences = (f"Game {number} is lost." for number in numbers)',
        'phrase("{fact} is lost.", fact=f"the game {number}")',
    ],
)
def test_the_check_sees_a_bare_finding(source: str) -> None:
    assert len(bare_findings(source)) == 1


@pytest.mark.parametrize(
    "source",
    [
        'findings.add("void games", 5, 0, phrase("Game {number} is lost.", number=5))',
        'def look():\n    """Yield what is lost."""\n    yield phrase("Game {number} is lost.", number=5)',
        'phrase("{fact} is lost.", fact=phrase("The game {number}", number=5))',
        'class Look:\n    what: str\n    """What is lost."""',
        'name = f"{slug}, {key}"',
        'assert books, "somebody saw the mark"',
    ],
)
def test_the_check_lets_be_what_is_marked_or_no_sentence(source: str) -> None:
    assert bare_findings(source) == []


#: What a script sets or writes into a page as the hint in an empty field: a text of its own, up to its end.
HINT = re.compile(r"""\bplaceholder["']?\]?(?:\s*[:=,]\s*|=\\?)(["'`])(.*?)\1""")


def bare_hints(source: str) -> list[str]:
    """Return the hints in empty fields that Python sets, in whatever form, and that are not marked, by line."""
    found = []
    for node in ast.walk(ast.parse(source)):
        given: list[ast.expr | None] = []
        if isinstance(node, ast.Dict):
            given = [value for key, value in zip(node.keys, node.values, strict=True) if key and is_hint(key)]
        elif isinstance(node, ast.keyword) and node.arg == "placeholder":
            given = [node.value]
        elif isinstance(node, ast.Call) and any(is_hint(argument) for argument in node.args):
            given = [*node.args[1:]]
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            given = [node.value for one in targets if isinstance(one, ast.Subscript) and is_hint(one.slice)]
        texts = [text for value in given if value for text in unmarked_texts(value)]
        found += [f"{getattr(node, 'lineno', 0)}: {text}" for text in texts if WORD.search(SAME.sub("", text))]
    return found


def unmarked_texts(node: ast.AST) -> list[str]:
    """Return the texts of an expression, but for those that a call marks."""
    if isinstance(node, ast.Call) and called(node) in MARKING | {"pgettext", "N_"}:
        return []
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    return [text for part in ast.iter_child_nodes(node) for text in unmarked_texts(part)]


def is_hint(node: ast.expr) -> bool:
    """Return whether an expression is the name of the attribute."""
    return isinstance(node, ast.Constant) and node.value == "placeholder"


def bare_hints_of_script(source: str) -> list[str]:
    """Return the hints in empty fields that a script sets as they stand; marked ones begin with a call."""
    texts = (re.sub(r"\$\{.*?\}", " ", text) for _, text in HINT.findall(source))
    return [text for text in texts if WORD.search(SAME.sub("", text))]


def test_no_hint_in_an_empty_field_is_in_english_alone() -> None:
    files = [path for folder in ("league", "ratings") for path in (ROOT / folder).rglob("*.py")]
    scripts = list((ROOT / "league/static").rglob("*.js"))
    assert len(files) > 100 and len(scripts) > 10
    bare = {path.name: bare_hints(text) for path in files if "placeholder" in (text := path.read_text("utf-8"))}
    bare |= {path.name: bare_hints_of_script(path.read_text("utf-8")) for path in scripts}
    assert {name: found for name, found in bare.items() if found} == {}


@pytest.mark.parametrize("hint", ["Your name", "name", "Vera −40"])
def test_the_check_sees_a_bare_hint_however_it_is_set(hint: str) -> None:
    for source in (
        'forms.TextInput(attrs={"placeholder": HINT})', 'dict(placeholder=HINT)', 'box.attrs["placeholder"] = HINT',
        'box.attrs.setdefault("placeholder", HINT)', 'box.attrs["placeholder"] = HINT if short else ""',
    ):  # fmt: skip
        assert len(bare_hints(source.replace("HINT", repr(hint)))) == 1, source
        assert bare_hints(source.replace("HINT", f"_({hint!r})")) == [], source
        assert bare_hints(source.replace("HINT", "'16:30'")) == [], source
    for source in (
        "box.placeholder = HINT;", "make({ placeholder: HINT })", "box.setAttribute('placeholder', HINT)",
        'box["placeholder"] = HINT', "box.innerHTML = `<input placeholder=HINT>`",
    ):  # fmt: skip
        assert bare_hints_of_script(source.replace("HINT", f'"{hint}"')) == [hint], source
        assert bare_hints_of_script(source.replace("HINT", f'gettext("{hint}")')) == [], source
    assert outside(f'<input placeholder="{hint}">') == [hint]
    assert outside(f'<input placeholder="{{% translate "{hint}" %}}">') == []
