"""Categories and prizes of a competition: facts of people, who sees them, editions, erasure, and bad input."""

import json
from io import BytesIO
from typing import Any

import pytest
from django.test import Client

from league.apps.competitions.models import Competition, Entry
from league.apps.competitions.selectors.competition_data import load_competition
from league.apps.competitions.selectors.final_standings import standings_differ
from league.apps.competitions.selectors.json_document import build_json_document
from league.apps.competitions.selectors.prizes import filter_standings, list_members
from league.apps.competitions.selectors.standings import compute_standings
from league.apps.competitions.services.competitions import (
    change_competition,
    finish_competition,
    revise_standings,
)
from league.apps.competitions.services.entries import change_entry, withdraw_entry
from league.apps.competitions.services.read_files import read_report
from league.apps.competitions.services.read_json import read_json_document
from league.core.errors import Conflict, Invalid
from league.core.players.services.erase import erase_player
from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from league.models import League, LogText
from tests.apps.competitions.files.trf_texts import FIVE
from tests.helpers.api_client import Api
from tests.helpers.builders import FOUR, make_league, player_of
from tests.helpers.desk_client import page_text, sign_in_member
from tests.helpers.public_log import load_lines
from tests.helpers.restore_builders import export_of
from tests.helpers.running_competitions import loaded_cup, play_round, run_competition
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db

DESK = "/admin/leagues/club/competitions/"
CUP = "leagues/club/competitions/cup/"
CATEGORIES = [
    {"key": "women", "title": "Women", "sex": "w"},
    {"key": "u16", "title": "Under 16", "born_from": 2011},
    {"key": "north", "title": "North school", "own": {"school": "North"}},
]
PRIZES = {
    "sharing": "hort",
    "currency": "EUR",
    "list": [
        {"category": "", "place": 1, "amount": 100},
        {"category": "", "place": 2, "amount": "50.00", "thing": "Clock"},
        {"category": "women", "place": 1, "amount": "30"},
        {"category": "u16", "place": 1, "amount": 0, "thing": "Book"},
        {"category": "north", "place": 1, "amount": 10},
    ],
}
ABOUT: dict[int, dict[str, Any]] = {2: {"sex": "w", "born": 2012}, 3: {"sex": "w", "club": "Rook"}, 4: {"born": 2015}}


def make_cup() -> League:
    """Return a league with a cup of one round: anna beats cleo, ben and dan draw; with facts, categories and prizes."""
    league = make_league(players=FOUR)
    run_competition(league, FOUR, "swiss", rounds=1)
    for number, about in ABOUT.items():
        change_entry(league.pk, "cup", number, {"about": about}, by="olga")
    change_competition(league.pk, "cup", {"categories": CATEGORIES, "prizes": PRIZES}, by="olga")
    return league


def list_awards(league: League) -> list[tuple[str, int, str, str]]:
    """Return category, entry, amount and thing of each award of the last edition."""
    edition = Competition.objects.get(league=league).editions.order_by("-number")[0]
    awards = json.loads(edition.document)["prizes"]["awards"]
    return [(one["category"], one["entry"], one["amount"], one["thing"]) for one in awards]


def test_the_rules_say_the_prizes_and_how_they_are_shared(client: Client) -> None:
    league, address = make_cup(), "/leagues/club/competitions/cup/rules/"
    page = page_text(client.get(address))
    assert "The whole competition 1st 100 EUR, 2nd 50 EUR and Clock. Women 1st 30 EUR. Under 16 1st Book." in page
    # One row of the overview has the first of them while the competition runs.
    overview = client.get("/leagues/club/competitions/cup/")
    assert "Prizes : 1st 100 EUR, 2nd 50 EUR and Clock … " in page_text(overview)
    assert "Hort: half by place, half shared. One prize a person, the one that is worth most." in page
    assert "Who wins what is published with the final standings." in page
    prizes = {"sharing": "equal", "one_each": False, "currency": "EUR", "list": [{"place": 1, "amount": "1000.50"}]}
    change_competition(league.pk, "cup", {"prizes": prizes}, by="olga")
    page = page_text(client.get(address))
    assert "1st 1,000.50 EUR. Equal points share equally. Who wins" in page
    change_competition(league.pk, "cup", {"prizes": {}}, by="olga")
    assert "Prizes" not in page_text(client.get(address))


@long_way
def test_prizes_are_part_of_the_edition_and_can_be_put_right() -> None:
    league = make_cup()
    browser, desk = sign_in_member("olga", "arbiter", league), "/admin/leagues/club/competitions/cup/prizes/"
    assert "once round 1 has a result" in page_text(browser.get(desk))
    play_round(league, 1, (1, 0), (0.5, 0.5))
    assert "Who would win what now" in page_text(browser.get(desk))
    # 1 has a point, 2 and 4 have a half and share the second place, 3 has nothing.
    assert [(row.rank, row.entry) for row in compute_standings(loaded_cup(league)).rows] == [
        (1, 1), (2, 2), (2, 4), (4, 3),
    ]  # fmt: skip
    finish_competition(league.pk, "cup", by="olga")
    # By hand: 2 and 4 would get 25 each of the second prize. 2 takes 30 among women, so that 4 has the second alone.
    # The book of those under 16, who are 2 and 4, goes to nobody, and nobody is from the school in the north.
    assert list_awards(league) == [("", 1, "100.00", ""), ("", 4, "50.00", "Clock"), ("women", 2, "30.00", "")]
    prizes = page_text(Client().get("/leagues/club/competitions/cup/"))
    assert "The whole competition" in prizes
    assert "2 Dan 50 EUR Clock" in prizes
    assert "Nobody wins the prize for place 1: nobody belongs to this category." in prizes
    assert json.loads(Competition.objects.get().editions.get().document)["prizes"]["unwon"] == [
        {"category": "u16", "place": 1, "reason": "taken"},
        {"category": "north", "place": 1, "reason": "empty"},
    ]
    assert not standings_differ(Competition.objects.get())
    change_entry(league.pk, "cup", 3, {"about": {**ABOUT[3], "school": "  north "}}, by="olga")
    assert standings_differ(Competition.objects.get())
    revise_standings(league.pk, "cup", by="olga", reason="The school was missing.")
    assert list_awards(league)[3:] == [("north", 3, "10.00", "")]
    with pytest.raises(Conflict):
        change_entry(league.pk, "cup", 3, {"title": "FM"}, by="olga")
    assert verify_league(league.pk).state == "is right"


def test_a_category_has_the_order_of_all_with_ranks_of_its_own() -> None:
    league = make_cup()
    play_round(league, 1, (1, 0), (0.5, 0.5))
    loaded = loaded_cup(league)
    members = list_members(loaded)
    assert members == {"women": [2, 3], "u16": [2, 4], "north": []}
    found = filter_standings(compute_standings(loaded), members["u16"])
    assert [(row.rank, row.entry) for row in found.rows] == [(1, 2), (1, 4)]
    women = filter_standings(compute_standings(loaded), members["women"])
    assert [(row.rank, row.entry) for row in women.rows] == [(1, 2), (2, 3)]


def test_a_year_is_whole_however_it_is_written() -> None:
    make_cup()
    api = Api("organise")
    answer = api.call("patch", f"{CUP}entries/2/", {"about": {"born": 2012.0}})
    assert json.dumps(answer.data["about"]) == '{"born": 2012}'
    assert api.call("patch", f"{CUP}entries/2/", {"about": {"born": 2012.5}}).status_code == 400


@long_way
def test_facts_of_people_are_for_arbiters_and_survive_a_restore() -> None:
    league = make_cup()
    assert Api("organise").get(f"{CUP}entries/2/").data["about"] == {"born": 2012, "sex": "w"}
    assert Api().get(f"{CUP}entries/2/").data["about"] is None
    told = [json.dumps(load_lines(Api()))]
    assert "left_out" in told[0] and "metadata" in told[0]
    told.append(json.dumps(Api().get(f"{CUP}export/?format=json").data))
    assert not any(word in text for word in ("2012", "Rook") for text in told)
    for aliases in (True, False):
        lines = export_of(league, aliases=aliases)
        assert ('"about"' in "".join(lines[1:])) == aliases
        data = BytesIO("".join(f"{line}\n" for line in lines).encode())
        again = restore_league(data, slug=f"again{aliases:d}", known_players=True, by="root").league
        stored = dict(Entry.objects.filter(league=again).values_list("number", "about"))
        assert stored == {number: ABOUT.get(number, {}) if aliases else {} for number in (1, 2, 3, 4)}
        assert verify_league(again.pk).state == "is right"
        restored = Competition.objects.get(league=again)
        assert (len(restored.categories), len(restored.prizes["list"])) == (3, 5)


def test_what_is_refused_stands_at_its_field_in_an_open_category() -> None:
    league = make_cup()
    browser, desk = sign_in_member("olga", "arbiter", league), "/admin/leagues/club/competitions/cup/prizes/"
    rows = [
        {"key": "women", "title": "Women", "sex": "w", "prizes": "10; 20"},
        {"key": "", "title": ""},
        {"key": "u16", "title": "Everybody"},
        {"key": "north", "title": "Old", "born_from": "1990", "born_to": "1980"},
    ]
    data = {f"category-{number}-{name}": value for number, row in enumerate(rows) for name, value in row.items()}
    sent = {"category-TOTAL_FORMS": "4", "category-INITIAL_FORMS": "0", "sharing": "place", **data}
    page = browser.post(desk, sent)
    assert [list(form.errors) for form in page.context["rows"].forms] == [[], [], ["title"], ["born_to"]]
    assert page.content.decode().count("<details open>") == 2
    assert "Everybody: A category needs a condition" in page_text(page)
    # Prizes are asked about once the categories are right.
    page = browser.post(desk, sent | {"category-2-sex": "m", "category-3-born_to": "1999"})
    assert [list(form.errors) for form in page.context["rows"].forms] == [["prizes"], [], [], []]
    assert "Women, 2: Place 2 must not give more than place 1." in page_text(page)


def test_erasing_a_person_erases_the_facts_everywhere_and_leaves_the_published_prizes() -> None:
    league = make_cup()
    play_round(league, 1, (1, 0), (0.5, 0.5))
    finish_competition(league.pk, "cup", by="olga")
    before = list_awards(league)
    erase_player(player_of(FOUR[1]), username="olga")
    erase_player(player_of(FOUR[2]), username="olga")
    abouts = dict(Entry.objects.filter(league=league).values_list("number", "about"))
    assert abouts == {1: {}, 2: {}, 3: {}, 4: ABOUT[4]}
    assert not any(
        "Rook" in text or "2012" in text
        for text in LogText.objects.filter(league=league).values_list("text", flat=True)
    )
    assert not standings_differ(Competition.objects.get())
    assert list_awards(league) == before
    assert verify_league(league.pk).state == "is right"


def test_who_withdrew_wins_nothing() -> None:
    league = make_cup()
    play_round(league, 1, (1, 0), (0.5, 0.5))
    first = compute_standings(loaded_cup(league)).rows[0].entry
    withdraw_entry(league.pk, "cup", first, by="olga", after_round=1)
    finish_competition(league.pk, "cup", by="olga")
    assert first not in {entry for _category, entry, _amount, _thing in list_awards(league)}


@pytest.mark.parametrize(
    ("settings", "pointer", "code"),
    [
        ({"categories": 5}, "/categories", "invalid"),
        ({"categories": [5]}, "/categories", "invalid"),
        ({"categories": [{"key": "A", "title": "A", "sex": "w"}]}, "/categories/0/key", "invalid"),
        ({"categories": [{"key": "a", "sex": "w"}]}, "/categories/0/title", "invalid"),
        ({"categories": [{"key": "a", "title": "A"}]}, "/categories/0", "no_condition"),
        ({"categories": [{"key": "a", "title": "A", "sex": "x"}]}, "/categories/0/sex", "invalid"),
        ({"categories": [{"key": "a", "title": "A", "sex": ["w"]}]}, "/categories/0/sex", "invalid"),
        ({"categories": [{"key": "a", "title": "A", "born_to": "2000"}]}, "/categories/0/born_to", "out_of_bounds"),
        (
            {"categories": [{"key": "a", "title": "A", "born_from": 2010, "born_to": 2000}]},
            "/categories/0/born_to",
            "out_of_order",
        ),
        ({"categories": [{"key": "a", "title": "A", "own": {"sex": "w"}}]}, "/categories/0/own/sex", "invalid"),
        ({"categories": [{"key": "a", "title": "A", "age": 3}]}, "/categories/0/age", "unknown_field"),
        ({"categories": [*CATEGORIES, CATEGORIES[0]]}, "/categories/3/key", "twice"),
        ({"prizes": []}, "/prizes", "invalid"),
        ({"prizes": {"sharing": "all"}}, "/prizes/sharing", "invalid"),
        ({"prizes": {"one_each": 1}}, "/prizes/one_each", "invalid"),
        ({"prizes": {"list": [{"place": 1}]}}, "/prizes/list/0", "empty"),
        ({"prizes": {"list": [{"place": 0, "amount": 1}]}}, "/prizes/list/0/place", "out_of_bounds"),
        ({"prizes": {"list": [{"place": 1, "amount": -1}]}}, "/prizes/list/0/amount", "invalid"),
        ({"prizes": {"list": [{"place": 1, "amount": "1.234"}]}}, "/prizes/list/0/amount", "invalid"),
        ({"prizes": {"list": [{"place": 1, "amount": float("inf")}]}}, "/prizes/list/0/amount", "invalid"),
        (
            {"prizes": {"list": [{"place": 1, "amount": 1, "category": "men"}]}},
            "/prizes/list/0/category",
            "unknown_category",
        ),
        ({"prizes": {"list": [{"place": 2, "amount": 1}]}}, "/prizes/list/0/place", "gap"),
        ({"prizes": {"list": [{"place": 1, "amount": 1}] * 2}}, "/prizes/list/1/place", "twice"),
        (
            {"prizes": {"list": [{"place": 1, "amount": 1}, {"place": 2, "amount": 2}]}},
            "/prizes/list/1/amount",
            "out_of_order",
        ),
    ],
)  # fmt: skip
def test_categories_and_prizes_that_make_no_sense_are_refused(
    settings: dict[str, Any], pointer: str, code: str
) -> None:
    league = make_league(players=FOUR)
    run_competition(league, FOUR, "swiss", rounds=1)
    with pytest.raises(Invalid) as refused:
        change_competition(league.pk, "cup", settings, by="olga")
    assert (refused.value.problems[0].pointer, refused.value.problems[0].code) == (pointer, code)
    assert load_competition(Competition.objects.get()).competition.categories == []


@pytest.mark.parametrize(
    ("about", "pointer"),
    [
        (5, "/about"),
        ({"sex": "f"}, "/about/sex"),
        ({"born": 1899}, "/about/born"),
        ({"born": "2000"}, "/about/born"),
        ({"club": ""}, "/about/club"),
        ({"club": "x" * 61}, "/about/club"),
        ({"Own": "x"}, "/about/Own"),
        ({f"own{number}": "x" for number in range(11)}, "/about"),
    ],
)
def test_facts_that_make_no_sense_are_refused(about: Any, pointer: str) -> None:
    league = make_league(players=FOUR)
    run_competition(league, FOUR, "swiss", rounds=1)
    with pytest.raises(Invalid) as refused:
        change_entry(league.pk, "cup", 1, {"about": about}, by="olga")
    assert refused.value.problems[0].pointer == pointer


def test_the_api_sets_categories_prizes_and_facts() -> None:
    league = make_league(players=FOUR)
    run_competition(league, FOUR, "swiss", rounds=1)
    api = Api("organise")
    changed = api.patch(CUP, {"categories": CATEGORIES, "prizes": PRIZES})
    assert changed.status_code == 200
    assert changed.data["categories"] == CATEGORIES
    assert changed.data["prizes"]["list"][0] == {"category": "", "place": 1, "amount": "100.00", "thing": ""}
    assert (changed.data["prizes"]["one_each"], changed.data["prizes"]["sharing"]) == (True, "hort")
    about = {"sex": "w", "school": "North"}
    assert api.patch(f"{CUP}entries/1/", {"about": about}).data["about"] == about
    refused = api.patch(f"{CUP}entries/1/", {"about": {"sex": 1}})
    assert refused.status_code == 400
    assert api.patch(CUP, {"prizes": {}}).data["prizes"] == {}


def test_a_report_brings_sex_and_year_of_birth() -> None:
    text = FIVE.replace("1990/01/01", "          ", 1).replace(" m ", " w ", 1)
    assert text != FIVE
    found = [entry.row.about for entry in read_report(text.encode(), "UTC").entries]
    assert found[0] == {"sex": "w"}
    assert found[1:] and all(one == {"sex": "m", "born": 1990} for one in found[1:])


def test_the_desk_takes_categories_and_prizes_and_shows_who_wins_what() -> None:
    league = make_cup()
    play_round(league, 1, (1, 0), (0.5, 0.5))
    browser = sign_in_member("arno", "arbiter", league)
    page = browser.get(f"{DESK}cup/prizes/")
    words = page_text(page)
    assert "Nobody wins the prize for place 1: nobody belongs to this category." in words
    # ben is a woman under 16.
    assert f"In several categories: {loaded_cup(league).name(2)}." in words
    typed = {
        "prizes": "100; 50,50 Clock", "sharing": "equal", "one_each": "on", "currency": "EUR",
        "category-TOTAL_FORMS": "3", "category-INITIAL_FORMS": "1", "once": page.context["once"],
        "category-0-key": "women", "category-0-title": "Women", "category-0-sex": "w", "category-0-prizes": "30; Book",
        "category-1-title": "Under 16!", "category-1-born_from": "2011", "category-1-own_name": "school",
        "category-1-own_value": "North", "category-1-rating_to": "1800", "category-2-title": "",
    }  # fmt: skip
    assert browser.post(f"{DESK}cup/prizes/", typed).status_code == 302
    stored = Competition.objects.get()
    assert stored.categories == [
        {"key": "women", "title": "Women", "sex": "w"},
        {"key": "under-16", "title": "Under 16!", "born_from": 2011, "rating_to": 1800, "own": {"school": "North"}},
    ]
    assert stored.prizes["list"] == [
        {"category": "", "place": 1, "amount": "100.00", "thing": ""},
        {"category": "women", "place": 1, "amount": "30.00", "thing": ""},
        {"category": "", "place": 2, "amount": "50.50", "thing": "Clock"},
        {"category": "women", "place": 2, "amount": "0.00", "thing": "Book"},
    ]
    again = browser.get(f"{DESK}cup/prizes/").context
    assert again["form"].initial["prizes"] == "100\n50.50 Clock"
    assert [row.initial.get("prizes") for row in again["rows"]] == ["30\nBook", "", None]
    # A category whose bounds exclude everyone, and a later place with more: named, and nothing is saved.
    wrong = {**typed, "once": again["once"], "prizes": "10; 20", "category-1-born_to": "2000"}
    refused = browser.post(f"{DESK}cup/prizes/", wrong)
    assert "Under 16!: Nobody can belong to this category" in page_text(refused)
    assert Competition.objects.get().prizes == stored.prizes
    more = {**typed, "once": refused.context["once"], "prizes": "10; 20"}
    assert "The whole competition, 2: Place 2 must not give more than place 1." in page_text(
        browser.post(f"{DESK}cup/prizes/", more)
    )
    finish_competition(league.pk, "cup", by="olga")
    sheet = page_text(browser.get(f"{DESK}cup/print/prizes/"))
    assert "Edition 1 of " in sheet and "100.00 EUR" in sheet and "Received" in sheet


def test_the_page_of_an_entry_takes_facts() -> None:
    league = make_cup()
    browser = sign_in_member("arno", "arbiter", league)
    form = browser.get(f"{DESK}cup/entries/2/").context["form"]
    assert (form.initial["sex"], form.initial["born"]) == ("w", 2012)
    page = browser.get(f"{DESK}cup/entries/2/")
    data = {"sex": "m", "born": "2010", "club": "Rook", "own-school": "North", "once": page.context["once"]}
    assert browser.post(f"{DESK}cup/entries/2/", data).status_code == 302
    entry = Entry.objects.get(league=league, number=2)
    assert entry.about == {"sex": "m", "born": 2010, "club": "Rook", "school": "North"}


def test_everyone_sees_the_standings_of_a_category(client: Client) -> None:
    league = make_cup()
    play_round(league, 1, (1, 0), (0.5, 0.5))
    address = "/leagues/club/competitions/cup/"
    assert [line.entry.number for line in client.get(address).context["table"].lines] == [1, 2, 4, 3]
    found = client.get(f"{address}?category=women").context["table"]
    assert [(line.rank, line.entry.number) for line in found.lines] == [(1, 2), (2, 3)]
    assert len(client.get(f"{address}?category=men").context["table"].lines) == 4
    browser = sign_in_member("arno", "arbiter", league)
    printed = browser.get(f"{DESK}cup/print/standings/?category=u16")
    assert [line.entry.number for line in printed.context["pages"]] == [2, 4]
    assert "Under 16 ·" in page_text(printed)


def test_the_document_of_organisers_brings_facts_categories_and_prizes_along() -> None:
    loaded = loaded_cup(make_cup())
    document = json.dumps(build_json_document(loaded, for_organisers=True), default=str)
    read = read_json_document(document.encode())
    assert [entry.row.about for entry in read.entries] == [ABOUT.get(number, {}) for number in (1, 2, 3, 4)]
    assert (read.settings["categories"], read.settings["prizes"]) == (CATEGORIES, loaded.competition.prizes)
    with pytest.raises(Invalid) as refused:
        read_json_document(document.replace('"sex": "w"', '"sex": "f"').encode())
    assert refused.value.problems[0].pointer == "/entries/1/about/sex"


def test_a_prize_that_passes_on_is_said_in_a_sentence() -> None:
    league = make_cup()
    listed = [
        {"category": "", "place": 1, "amount": 100},
        {"category": "women", "place": 1, "amount": 40},
        {"category": "women", "place": 2, "amount": 0, "thing": "Book"},
    ]
    change_competition(league.pk, "cup", {"prizes": {**PRIZES, "sharing": "place", "list": listed}}, by="arno")
    # Cleo, a woman, is first alone: her 100 EUR are worth more than the 40 EUR, which Ben gets.
    play_round(league, 1, (0, 1), (0.5, 0.5))
    tables = sign_in_member("arno", "arbiter", league).get(f"{DESK}cup/prizes/").context["tables"]
    assert [table.passed for table in tables][:2] == [[], ["Cleo takes 100 EUR; 40 EUR passes to Ben."]]
    change_competition(league.pk, "cup", {"prizes": {**PRIZES, "one_each": False, "list": listed}}, by="arno")
    tables = sign_in_member("ada", "arbiter", league).get(f"{DESK}cup/prizes/").context["tables"]
    assert not any(table.passed for table in tables)
