"""The docs say what is true: rulings, settings, commands and links are held to the code."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from django.core.management import get_commands
from django.test import Client
from django.utils.html import escape

from league.cli.main import ENTRIES, MANAGE
from league.environment import KNOWN
from ratings.contract.method import Method
from ratings.contract.system import RatingSystem, Ruling
from ratings.describe.house import HOUSE
from ratings.registry import load_methods, load_systems

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


#: Settings, and rulings of systems and of Rungs.
SETTINGS = ROOT / "docs" / "operators" / "settings.md"
RULINGS = [ROOT / "docs" / "organisers" / f"rulings-of-{of}.md" for of in ("systems", "rungs")]


#: Rulings of competitions and of sets: they are on one public page, and their words are compared in tests/ratings.
COMPETITION_RULINGS = [
    ROOT / "docs" / "organisers" / f"{name}.md"
    for name in (
        "rulings-of-pairings",
        "rulings-of-tie-breaks",
        "rulings-of-seasons",
        "prizes",
        "elo-of-fide",
        "regulations",
        "sets",
    )
]


def rulings_page(pages: Sequence[Path] = RULINGS) -> str:
    """Return both pages of rulings."""
    return "\n".join(page.read_text(encoding="utf-8") for page in pages)


@pytest.mark.parametrize("thing", [*load_systems().values(), *load_methods().values()], ids=lambda thing: thing.key)
def test_every_ruling_stands_on_the_page_of_rulings_with_its_parameter(thing: type[RatingSystem | Method]) -> None:
    page = rulings_page()
    for ruling in thing.rulings:
        found = re.findall(rf"- \*\*{ruling.number} .*?(?=\n- |\n#|\Z)", page, re.DOTALL)
        assert len(found) == 1, (
            f"The pages of rulings have {len(found)} entries **{ruling.number} {ruling.title}.**, not one"
        )
        (entry,) = found
        if ruling.parameter:
            assert f"`{ruling.parameter}`" in entry
            assert ruling.parameter in thing.parameters()


def entries(pages: Sequence[Path] = RULINGS) -> dict[str, str]:
    """Return number -> entry of pages of rulings."""
    page = rulings_page(pages)
    found = re.findall(r"- \*\*(R\d+) (.*?)(?=\n- |\n#|\Z)", page, re.DOTALL)
    assert len({number for number, _ in found}) == len(found)
    return {number: re.sub(r"\s+", " ", entry) for number, entry in found}


@pytest.mark.parametrize("ruling", HOUSE, ids=lambda ruling: ruling.number)
def test_a_ruling_of_the_house_says_the_same_on_the_public_page_as_on_the_page_of_rulings(ruling: Ruling) -> None:
    _, _, text = entries()[ruling.number].partition(".** ")
    # The public page has no marks, and names no other ruling in brackets.
    plain = re.sub(r"[`*]| \(R\d+\)", "", text.partition("Shown on:")[0]).strip()
    assert str(ruling.text) == plain


@pytest.mark.django_db
def test_a_public_page_has_the_rulings_that_the_page_of_rulings_names_there_and_no_others(client: Client) -> None:
    told = {
        number: set(re.findall(r"`(/[a-z0-9_/-]+/)`", entry.partition("Shown on:")[2]))
        for number, entry in entries().items()
    }
    assert [number for number, addresses in told.items() if not addresses] == []
    pages = {f"/systems/{key}/" for key in load_systems()} | {f"/ladder-methods/{key}/" for key in load_methods()}
    for address in {*pages, "/rulings/"}.union(*told.values()):
        shown = re.findall(r"<dt>(R\d+)</dt>\s*<dd>\s*<b>(.*?)\.</b>", client.get(address).content.decode())
        wanted = [number for number in told if address in {*told[number], "/rulings/"}]
        titles = {number: escape(entries()[number].partition(".**")[0]) for number in wanted}
        if address == "/rulings/":
            of_competitions = entries(COMPETITION_RULINGS)
            titles |= {number: escape(entry.partition(".**")[0]) for number, entry in of_competitions.items()}
            assert {"R141", "R158"} <= titles.keys()
        assert dict(shown) == titles, address


def test_every_setting_is_documented_and_every_documented_one_is_read() -> None:
    page = SETTINGS.read_text(encoding="utf-8")
    assert set(re.findall(r"RUNGS_[A-Z_]+[A-Z]", page)) == set(KNOWN)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        assert target.startswith("http") or (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_on_pages_exist(page: Path) -> None:
    text = page.read_text()
    for command in re.findall(r"(?:script/manage|manage\.py) ([a-z_]+)", text):
        assert command in get_commands(), command
    for command in re.findall(r"(?:^\$ |`|/bin/|--spec \. )rungs ([a-z][a-z-]*)", text, re.MULTILINE):
        assert command in (*ENTRIES, MANAGE), command
    for script in re.findall(r"\bscript/([a-z]+)\b", text):
        assert (ROOT / "script" / script).exists(), script


def test_every_decision_has_its_status() -> None:
    for page in (ROOT / "docs" / "adr").glob("*.md"):
        assert "*Accepted" in page.read_text()
