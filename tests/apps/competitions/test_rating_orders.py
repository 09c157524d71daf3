"""From which lists the ratings of a competition come, in which order, and which of them counts."""

from typing import Any

import pytest

from league.apps.competitions.models import Competition, Entry
from league.apps.competitions.selectors.fide_elo import get_fide_rating
from league.apps.competitions.selectors.rating_order import choose_rating, get_lists
from league.apps.competitions.services.competitions import change_competition
from league.apps.competitions.services.entries import change_entry
from league.apps.rating_lists.models import RatingList
from league.core.errors import Invalid
from league.core.players.listed_people import SourcedRating
from league.core.verify.run import verify_league
from tests.helpers.api_client import Api
from tests.helpers.builders import league_of
from tests.helpers.competition_builders import enter, make_competition, start
from tests.helpers.competition_desk import read, send, sign_in
from tests.helpers.desk_client import form_fields
from tests.helpers.listed_people import ANNA, JO, PAGE, list_ratings, open_cup, put_into_use
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
SETTINGS = "/admin/leagues/club/competitions/cup/settings/"
CUP = "leagues/club/competitions/cup/"
RAPID, STANDARD, NATIONAL = (
    SourcedRating(rating, source)
    for rating, source in (
        (2150, "fide 2026-11-01, rapid"), (2210, "fide 2026-11-01, standard"), (2180, "dsb 2026-11-01, standard"),
    )
)  # fmt: skip


def put_lists(federation: str = "GER") -> None:
    """Put FIDE's list and one of a federation into use."""
    put_into_use(JO, ANNA)
    put_into_use({**JO, "number": "D7", "standard": 2180, "rapid": 0}, provider="dsb")
    RatingList.objects.filter(provider="dsb").update(federation=federation, title="DSB")


@pytest.mark.parametrize(
    ("official", "choice", "chosen"),
    [
        # FIDE's alone, FIDE's else the national one, the reverse.
        ([STANDARD], "first", 2210), ([STANDARD, NATIONAL], "first", 2210), ([NATIONAL, STANDARD], "first", 2180),
        # Of FIDE the rapid rating counts, as it comes first: the national one is higher.
        ([RAPID, STANDARD, NATIONAL], "first", 2150), ([RAPID, STANDARD, NATIONAL], "highest", 2180),
        ([STANDARD, NATIONAL], "highest", 2210), ([NATIONAL], "highest", 2180), ([], "highest", None),
        ([], "first", None),
    ],
)  # fmt: skip
def test_the_first_list_counts_or_the_highest_of_the_federations(
    official: list[SourcedRating], choice: str, chosen: int | None
) -> None:
    found = choose_rating(Competition(rating_choice=choice), official)
    assert (found and found.rating) == chosen


@pytest.mark.parametrize(
    ("settings", "lists"),
    [
        ({}, ["fide:standard", "dsb:standard"]),
        ({"time_control": "180+2"}, ["fide:blitz", "fide:standard", "dsb:blitz", "dsb:standard"]),
        ({"time_control": "900+10", "federation": "SRB"}, ["fide:rapid", "fide:standard"]),
        ({"federation": "GER"}, ["fide:standard", "dsb:standard"]),
        ({"federation": "GER", "rating_lists": ["dsb:rapid"]}, ["dsb:rapid"]),
    ],
)
def test_lists_are_proposed_by_the_kind_of_event_and_the_federation(settings: dict[str, Any], lists: list[str]) -> None:
    open_cup(**settings)
    put_lists()
    assert get_lists(Competition.objects.get()) == lists


def test_the_start_stores_the_proposed_lists() -> None:
    open_cup(time_control="900+10")
    put_into_use(JO)
    start(league_of())
    assert Competition.objects.get().rating_lists == ["fide:rapid", "fide:standard"]
    # They stay, whatever is stated of the time later.
    change_competition(league_of().pk, "cup", {"time_control": "5400+30"}, by="arno")
    assert get_lists(Competition.objects.get()) == ["fide:rapid", "fide:standard"]
    assert verify_league(league_of().pk).state == "is right"


def read_settings(page: Any) -> dict[str, Any]:
    """Return the settings of a page as a browser sends them, with the parameters of the format."""
    groups = page.context["groups"]
    return {
        **form_fields(page.context["form"]),
        **{one.html_name: one.value() for group in groups for one in group.fields if "parameters-" in one.html_name},
    }


@pytest.mark.parametrize("settings", [{"rating_choice": "highest"}, {}])
def test_settings_that_are_saved_keep_lists_that_nobody_chose(settings: dict[str, Any]) -> None:
    browser = open_cup(**settings)
    enter(league_of(), "ben", "cleo", "anna")
    if not settings:
        # Started while no list was loaded.
        start(league_of(), players=("dan",))
    put_lists()
    before = Competition.objects.values_list("rating_lists", "rating_choice").get()
    page = browser.get(SETTINGS)
    assert "As proposed: " in page.content.decode()
    assert ("The highest of: FIDE standard; DSB standard" in page.content.decode()) == bool(settings)
    send(browser, SETTINGS, **{**read_settings(page), "venue": "Hall"})
    assert Competition.objects.values_list("venue", "rating_lists", "rating_choice").get() == ("Hall", *before)


def test_no_more_lists_are_proposed_than_a_competition_may_have() -> None:
    browser = open_cup(time_control="600+5")
    for provider in ("fide", *(f"f{at}" for at in range(7))):
        put_into_use(JO, provider=provider)
    send(browser, PAGE, _enter="fide:77")
    start(league_of(), players=("anna", "ben", "cleo"))
    assert len(Competition.objects.get().rating_lists) == 12
    assert Api("organise").patch(CUP, {"title": "Open"}).status_code == 200
    assert read(browser, PAGE)


def test_the_official_rating_stays_when_another_one_is_typed() -> None:
    browser = open_cup(time_control="900+10")
    put_into_use(JO)
    send(browser, PAGE, _enter="fide:77")
    change_entry(league_of().pk, "cup", 1, {"rating": 2000}, by="arno")
    entry = Entry.objects.get()
    assert (entry.rating, entry.rating_from) == (2000, "")
    assert entry.official_ratings == [RAPID._asdict(), STANDARD._asdict()]
    # FIDE's sums are those of FIDE's rating.
    assert get_fide_rating(entry) == 2150
    page = read(browser, "/admin/leagues/club/competitions/cup/entries/1/")
    assert "Official ratings" in page and "(FIDE rapid list of 1 Nov 2026)" in page
    assert verify_league(league_of().pk).state == "is right"


@long_way
def test_the_settings_offer_each_order_and_the_page_names_it() -> None:
    browser = open_cup()
    assert "rating_order" not in read(browser, SETTINGS)
    put_lists()
    page = read(browser, SETTINGS)
    for text in (
        "As proposed: FIDE standard, else DSB standard",
        "The highest of: DSB standard; FIDE standard",
        "DSB rapid, else DSB standard, else FIDE rapid, else FIDE standard",
    ):
        assert text in page
    answer = browser.get(SETTINGS)
    values = read_settings(answer)
    send(browser, SETTINGS, **{**values, "rating_order": "highest dsb:standard fide:standard"})
    competition = Competition.objects.get()
    assert (competition.rating_lists, competition.rating_choice) == (["dsb:standard", "fide:standard"], "highest")
    assert "Ratings come from: The highest of: DSB standard; FIDE standard." in read(browser, PAGE)
    send(browser, SETTINGS, **{**values, "rating_order": ""})
    competition.refresh_from_db()
    assert (competition.rating_lists, competition.rating_choice) == ([], "first")


@long_way
def test_without_a_rating_in_its_lists_the_other_lists_are_shown_to_choose_from() -> None:
    browser = open_cup(rating_lists=["fide:blitz"])
    put_into_use(JO, ANNA)
    page = read(browser, f"{PAGE}?q=roe")
    assert "FIDE rapid: 2150" in page and "FIDE standard: 2210" in page
    send(browser, PAGE, _enter="fide:77", **{"list-fide:77": "fide:rapid"})
    send(browser, PAGE, _enter="fide:78")
    assert list_ratings() == [(1, 2150, "fide 2026-11-01, rapid"), (2, None, "")]
    assert Entry.objects.get(number=1).official_ratings == [RAPID._asdict()]
    # The second one has no rating: its others are offered, and nothing is ticked for it.
    page = read(browser, f"{PAGE}?compare=1")
    assert "FIDE standard: 1900" in page and 'name="list-1"' not in page and "checked" not in page
    assert "Nothing was changed." in send(browser, PAGE, _take="1", entry=["2"], **{"list-2": ""})
    assert "1 rating was taken" in send(browser, PAGE, _take="1", entry=["2"], **{"list-2": "fide:standard"})
    assert list_ratings()[1] == (2, 1900, "fide 2026-11-01, standard")
    assert verify_league(league_of().pk).state == "is right"


@pytest.mark.parametrize(
    ("lists", "pointer"),
    [
        ("fide:rapid", "/rating_lists"), (["fide"], "/rating_lists/0"), (["fide:daily"], "/rating_lists/0"),
        (["FI DE:rapid"], "/rating_lists/0"), (["fide:rapid", "fide:rapid"], "/rating_lists/1"),
        ([f"l{number}:blitz" for number in range(13)], "/rating_lists"), ([1], "/rating_lists"),
    ],
)  # fmt: skip
def test_lists_that_are_none_are_refused(lists: Any, pointer: str) -> None:
    sign_in()
    make_competition(league_of(), "swiss", rounds=3)
    with pytest.raises(Invalid) as invalid:
        change_competition(league_of().pk, "cup", {"rating_lists": lists}, by="arno")
    assert [one.pointer for one in invalid.value.problems] == [pointer]


def test_programs_set_the_lists_and_send_official_ratings() -> None:
    open_cup()
    api = Api("organise")
    answer = api.patch(CUP, {"rating_lists": ["dsb:standard", "fide:standard"], "rating_choice": "highest"}).json()
    assert (answer["rating_lists"], answer["rating_choice"]) == (["dsb:standard", "fide:standard"], "highest")
    sent = {"player": "anna", "rating": 2100, "official_ratings": [STANDARD._asdict()]}
    assert api.post(f"{CUP}entries/", sent).json()["official_ratings"] == [STANDARD._asdict()]
    for wrong, pointer in (
        ([{"rating": 1, "rating_from": "typed"}], "/official_ratings/0/rating_from"),
        ([{"rating": 1, "rating_from": " , rapid"}], "/official_ratings/0/rating_from"),
        ([{"rating": 1, "rating_from": "fide 2026-11-01, bullet"}], "/official_ratings/0/rating_from"),
        ([{"rating": -1, "rating_from": "fide 2026-11-01, rapid"}], "/official_ratings/0/rating"),
        ([{"rating": 1}], "/official_ratings/0/rating_from"),
    ):
        answer = api.patch(f"{CUP}entries/1/", {"official_ratings": wrong})
        assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, pointer)
    assert api.patch(f"{CUP}entries/1/", {"official_ratings": []}).json()["official_ratings"] == []
    assert verify_league(league_of().pk).state == "is right"
