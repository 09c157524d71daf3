"""Words that are data, shown as words: ladders in the log, columns of plain lists, fields of games, units, choices."""

import re
from typing import Any

import pytest
from django.contrib.admin import site
from django.contrib.admin.utils import label_for_field
from django.test import Client
from django.utils.translation import override

from league.core.ladders.services.decisions import reopen_period
from league.models import Ladder, League, LogEntry
from league.templatetags.rungs import coded
from league.web.organiser.log_sentences import build_log_row
from league.web.organiser.raw_records import RawAdmin
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import page_text
from tests.helpers.ladder_builders import close, duel, make_ladder

pytestmark = pytest.mark.django_db


def club() -> League:
    """Return a league with a ladder whose April is closed and open again."""
    league = make_league("elo", ["anna", "ben"])
    make_ladder(league)
    Ladder.objects.update(title="Meisterschaft")
    record(league, duel("anna", "ben", "2024-04-05"))
    close(league, "2024-04")
    return league


def test_the_log_calls_ladders_by_their_titles(olga: Client) -> None:
    club()
    said = page_text(olga.get("/admin/leagues/club/log/"))
    assert "closed April 2024 (Meisterschaft)" in said
    assert "(month)" not in said
    assert "closed April 2024 (Meisterschaft)" in page_text(olga.get("/admin/leagues/club/"))


def test_a_ladder_that_is_no_more_keeps_its_slug() -> None:
    entry, said = LogEntry(kind="ladder.rule_adopted"), {"ladder": "cup", "from": "2024-05-01"}
    assert build_log_row(entry, said, {"month": "Month"}).words == "adopted a ranking rule for cup from 1 May 2024"
    assert build_log_row(entry, said, {"cup": "The Cup"}).words == "adopted a ranking rule for The Cup from 1 May 2024"


def test_a_start_has_the_mark_of_the_reader() -> None:
    entry = LogEntry(kind="initial_rating.set")
    said = {}
    for language in ("en", "de", "ru"):
        with override(language):
            said[language] = build_log_row(entry, {"player": "anna", "rating": 1712.5}).words
    assert said["en"] == "set the initial rating of anna to 1712.5"
    assert "1712,5" in said["de"]
    assert "1712,5" in said["ru"]


def test_nobody_has_won_a_period_that_is_open_again(olga: Client) -> None:
    league = club()
    assert "Anna, published " in page_text(olga.get("/admin/leagues/club/ladders/"))
    reopen_period(league.pk, "month", "2024-04", username="olga", reason="a sheet was lost")
    said = page_text(olga.get("/admin/leagues/club/ladders/"))
    assert "April 2024" in said
    assert "Reopened, published " in said
    assert "Anna, published " not in said


def test_fields_of_a_game_have_the_labels_of_their_system(client: Client) -> None:
    make_league("preferans", ["anna", "ben", "cleo"])
    record(League.objects.get(), sheet(["anna", "ben", "cleo"], (-60, 20, 40), details={"bula": 20}))
    assert "<dt>Bula</dt><dd>20</dd>" in client.get("/leagues/club/games/1/").content.decode()
    russian = client.get("/leagues/club/games/1/", headers={"accept-language": "ru"}).content.decode()
    assert "<dt>Пуля</dt><dd>20</dd>" in russian


def test_units_go_with_their_numbers(client: Client) -> None:
    make_league("barbu", ["anna", "ben"], parameters={"newcomer_games": 1})
    said = page_text(client.get("/leagues/club/how/"))
    assert "1 game " in said
    assert "1 games" not in said
    polish = page_text(client.get("/systems/barbu/", headers={"accept-language": "pl"}))
    assert "5 partii" in polish


def test_a_choice_is_offered_by_what_it_means(olga: Client) -> None:
    make_league("preferans", ["anna", "ben", "cleo"])
    page = olga.get("/admin/leagues/club/rules/").content.decode()
    assert re.search(r'<option value="lowest">\s*the lowest score</option>', page)


#: Words that some language has in common with English.
ALIKE = {"name", "Name", "rating", "sha256", "token", "status", "Status"}


def lists() -> list[Any]:
    """Return the plain lists of our own models."""
    return [one for model, one in site._registry.items() if isinstance(one, RawAdmin)]


def headings(of: Any, language: str) -> list[str]:
    """Return what stands above the columns of a list in a language, and what its rows are called."""
    columns = [of.clocks.get(str(name), name) for name in of.list_display]
    with override(language):
        shown = [str(label_for_field(name, of.model, of)) for name in columns]
        return [*shown, str(of.opts.verbose_name), str(of.opts.verbose_name_plural)]


@pytest.mark.parametrize("language", ["de", "pl", "ru", "sr"])
def test_plain_lists_have_their_headings_in_the_reader_s_language(language: str) -> None:
    assert len(lists()) >= 10
    both = [pair for one in lists() for pair in zip(headings(one, "en"), headings(one, language), strict=True)]
    assert len(both) > 80
    assert {english for english, said in both if english == said} <= ALIKE


def test_a_plain_list_reads_so_on_its_page(olga: Client) -> None:
    club()
    page = olga.get("/admin/league/game/", headers={"accept-language": "pl"}).content.decode()
    heads = re.findall(r'<div class="text">(?:<a [^>]*>|<span>)([^<]*)<', page)
    assert heads == ["Partia", "Rozegrano", "Stan", "Liga", "Zapisał(a)"]
    assert "Leagues" not in page


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("plain <b>", "plain &lt;b&gt;"),
        ("each of `errors` has", "each of <code>errors</code> has"),
        ("`a<b` and `c`", "<code>a&lt;b</code> and <code>c</code>"),
        ("a lone ` & mark", "a lone ` &amp; mark"),
    ],
)
def test_what_stands_between_backticks_is_code(text: str, html: str) -> None:
    assert coded(text) == html
