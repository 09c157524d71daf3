"""The catalogues: whole, made of the sources, every placeholder kept, every plural form said."""

import io
import re
import runpy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from babel.messages.catalog import Message
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po
from django.conf import settings
from django.utils import translation
from django.utils.formats import get_format

pytestmark = pytest.mark.one_database("Sources, not books.")
ROOT = Path(__file__).parents[2]
LANGUAGES = [code for code, _ in settings.LANGUAGES if code != "en"]
DOMAINS = ("django", "djangojs")
#: ``%(name)s``, ``{name:.2f}``, and the tags and entities of a text that has some.
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w*(?:[^{}]*)\}|</?[a-z]+[^>]*>|&[a-z]+;")
script = runpy.run_path(str(ROOT / "script" / "messages"))


def source(language: str, domain: str) -> bytes:
    """Return the file of a catalogue."""
    return (ROOT / "league/locale" / language / "LC_MESSAGES" / f"{domain}.po").read_bytes()


@cache
def messages(language: str, domain: str) -> list[Message]:
    """Return the entries of a catalogue without its head."""
    return [one for one in read_po(io.BytesIO(source(language, domain)), charset="utf-8") if one.id]


def said(one: Message) -> tuple[str, ...]:
    """Return what an entry says, by plural form."""
    return tuple(one.string) if isinstance(one.string, tuple | list) else (one.string or "",)


def asked(one: Message) -> tuple[str, ...]:
    """Return the texts that an entry translates."""
    return tuple(one.id) if isinstance(one.id, tuple | list) else (one.id,)


@cache
def translated(language: str, domain: str) -> list[Message]:
    """Return the entries that have a translation."""
    return [one for one in messages(language, domain) if any(said(one))]


def plain(context: Any) -> Any:
    """Return a context as text: Babel reads those of compiled catalogues as bytes."""
    return context.decode() if isinstance(context, bytes) else context


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_is_none_or_has_all_its_forms(language: str, domain: str) -> None:
    """A new text may wait for its translation until a release: ``script/messages --check`` tells which do."""
    forms = {"de": 2}.get(language, 3)
    assert len(translated(language, domain)) > {"django": 1000, "djangojs": 5}[domain]
    for one in messages(language, domain):
        assert not one.fuzzy
        assert all(said(one)) or not any(said(one)), one.id
        assert len(said(one)) == (forms if isinstance(one.id, tuple) else 1), one.id


def test_a_new_text_is_written_once_and_missing_until_it_is_translated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    main, read = script["main"], script["texts_in"]
    files, parsed = ("league/new.py", "league/old.py", "templates/page.html", "league/static/rungs/pad.js"), []
    for name, text in zip(files, ('_("A new tie-break")', "", '{% translate "Old" %}', "gettext('Pad')"), strict=True):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    def parse(path: Path) -> Any:
        parsed.append(path)
        return read(path)

    for name, value in {
        "ROOT": tmp_path,
        "LOCALE": tmp_path / "locale",
        "collect_texts": cache(script["collect_texts"].__wrapped__),
        "texts_in": parse,
    }.items():
        monkeypatch.setitem(main.__globals__, name, value)
    assert main([]) == 0
    assert len(parsed) == len(files), "each file is parsed once, not once for each language"
    written = capsys.readouterr().out.splitlines()
    assert [line for line in written if "out of date" in line] == []
    assert len([line for line in written if line.startswith("Wrote ")]) == len(LANGUAGES) * len(DOMAINS) * 2
    assert main(["--check"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(LANGUAGES) * 3
    assert "de/LC_MESSAGES/django.po does not translate “A new tie-break”." in lines
    for path in tmp_path.rglob("*.po"):
        head, rest = path.read_text().split("\n\n", 1)
        path.write_text(head + "\n\n" + rest.replace('msgstr ""', 'msgstr "neu"'))
    assert main(["--check"]) == 1, "not compiled yet"
    assert main([]) == 0
    capsys.readouterr()
    assert (main(["--check"]), capsys.readouterr().out) == (0, "")


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_placeholder_and_every_tag_is_kept(language: str, domain: str) -> None:
    wrong = []
    for one in translated(language, domain):
        wanted = sorted(set(PLACEHOLDER.findall(asked(one)[-1])))
        few = sorted(set(PLACEHOLDER.findall(asked(one)[0])))
        for form in said(one):
            if sorted(set(PLACEHOLDER.findall(form))) not in (wanted, few):
                wrong.append((asked(one)[-1], form))
            if len(PLACEHOLDER.findall(form)) not in {len(PLACEHOLDER.findall(text)) for text in asked(one)}:
                wrong.append((asked(one)[-1], form))
            if form[:1].isspace() != asked(one)[0][:1].isspace() or form[-1:].isspace() != asked(one)[0][-1:].isspace():
                wrong.append((asked(one)[-1], form))
    assert wrong == []


@pytest.mark.parametrize("language", ["pl", "ru", "sr"])
def test_a_form_that_is_for_many_numbers_names_the_number(language: str) -> None:
    """The first form of Russian and Serbian is for 1, 21 and 31 too; of Polish only for 1."""
    wrong = [
        (asked(one)[-1], form)
        for domain in DOMAINS
        for one in translated(language, domain)
        if isinstance(one.id, tuple)
        for form in said(one)[language == "pl" :]
        if not PLACEHOLDER.search(form) and PLACEHOLDER.search(one.id[1])
    ]
    assert wrong == []


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_compiled_catalogue_is_made_of_its_source(language: str, domain: str) -> None:
    path = ROOT / "league/locale" / language / "LC_MESSAGES" / f"{domain}.mo"
    with path.open("rb") as file:
        compiled = {(plain(one.context), asked(one)): said(one) for one in read_mo(file) if one.id}
    assert compiled == {(one.context, asked(one)): said(one) for one in translated(language, domain)}


@pytest.mark.slow("Reads all sources, as script/messages does.")
def test_no_text_is_asked_for_both_alone_and_in_numbers() -> None:
    """A catalogue has one entry for a text, and the second one would take the first one's place."""
    for domain in DOMAINS:
        kinds: dict[tuple[str, Any], set[bool]] = {}
        for folder, pattern in script["SOURCES"][domain]:
            for path in (ROOT / folder).rglob(pattern):
                for text, _comments, context in script["texts_in"](path):
                    first = text[0] if isinstance(text, tuple) else text
                    kinds.setdefault((first, context), set()).add(isinstance(text, tuple))
        assert [text for text, found in kinds.items() if len(found) > 1] == []


@pytest.mark.parametrize("code", [code for code, _ in settings.LANGUAGES])
def test_django_itself_writes_numbers_as_machines_read_them(code: str) -> None:
    with translation.override(code):
        assert (get_format("DECIMAL_SEPARATOR"), get_format("NUMBER_GROUPING") or 0) in ((".", 0), (".", 3))
        assert get_format("DATE_INPUT_FORMATS")[0] == "%Y-%m-%d"


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("language", ["ru", "sr"])
def test_a_form_that_tells_no_number_holds_for_one_and_for_twenty_one(language: str, domain: str) -> None:
    """Their first form is that of 1, 21, 31 …: without the number before it, it must not say “it”."""
    several = [one for one in translated(language, domain) if isinstance(one.id, tuple)]
    numberless = [one for one in several if not PLACEHOLDER.search(said(one)[0])]
    assert several
    assert [one.id[0] for one in numberless if len(set(said(one))) > 1] == []
