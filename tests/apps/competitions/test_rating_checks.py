"""The comparison of a competition's ratings with the lists: which day counts, who is asked, what is changed."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from league.apps.competitions.models import Competition, Entry
from league.apps.competitions.selectors.listed_people import find_list_day
from league.apps.competitions.services.competitions import change_competition
from league.apps.rating_lists.models import RatingList
from league.core.verify.run import verify_league
from league.models import ExternalId, League
from tests.helpers.api_client import Api
from tests.helpers.builders import league_of
from tests.helpers.competition_builders import make_competition, start
from tests.helpers.competition_desk import read, send
from tests.helpers.listed_people import ANNA, JO, PAGE, keep_list, list_ratings, open_cup, put_into_use
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
NOW = "/admin/leagues/club/competitions/cup/"
CHECKS = "leagues/club/competitions/cup/rating-differences/"
COMPARE = f"{PAGE}?compare=1"


@pytest.mark.parametrize(
    ("starts", "ends", "day"),
    [
        # On 15 December: not yet begun, without dates, begun, of 30 days, of 31 days, without an end, past, too long.
        ("2026-12-16", "2026-12-20", None), (None, None, None), ("2026-12-01", "2026-12-20", "2026-12-01"),
        ("2026-12-01", "2026-12-31", "2026-12-01"), ("2026-12-01", "2027-01-01", None),
        ("2026-12-01", None, "2026-12-01"), ("2026-11-01", "2026-11-09", "2026-11-01"), ("2026-11-01", None, None),
    ],
)  # fmt: skip
def test_the_lists_of_the_first_day_count_up_to_thirty_days(
    starts: str | None, ends: str | None, day: str | None
) -> None:
    times = [one and datetime.fromisoformat(one).replace(tzinfo=UTC) for one in (starts, ends)]
    competition = Competition(starts_at=times[0] or None, ends_at=times[1] or None, league=League(time_zone="UTC"))
    found = find_list_day(competition, datetime(2026, 12, 15, tzinfo=UTC))
    assert (found and found.isoformat()) == day


def run_cup(**settings: Any) -> Any:
    """Start a competition of two entries of FIDE's list; return the arbiter's browser."""
    browser = open_cup(**settings)
    put_into_use(JO, ANNA, dated="2024-03-01")
    for number in ("77", "78"):
        send(browser, PAGE, _enter=f"fide:{number}")
    start(league_of(), players=("ben", "cleo"))
    return browser


@long_way
def test_a_running_competition_is_compared_with_the_list_of_its_first_day() -> None:
    browser = run_cup(starts_at=datetime(2024, 3, 20, 12, tzinfo=UTC), ends_at=datetime(2024, 4, 5, tzinfo=UTC))
    keep_list()
    put_into_use({**JO, "standard": 2260}, {**ANNA, "standard": 1960}, dated="2024-04-01")
    page = read(browser, COMPARE)
    assert "The lists of the first day count: 20 Mar 2024." in page and "FIDE, 1 Mar 2024" in page
    assert "Every entry that is in a list has its rating." in page
    RatingList.objects.filter(state="replaced").delete()
    page = read(browser, COMPARE)
    assert "The list of FIDE of the first day, 20 Mar 2024, is not kept." in page
    assert "2260" not in page
    change_competition(league_of().pk, "cup", {"ends_at": datetime(2024, 5, 5, tzinfo=UTC)}, by="arno")
    page = read(browser, COMPARE)
    assert "The ratings are compared with today's lists." in page and "2260" in page and "1960" in page


@long_way
def test_the_desk_says_who_differs_after_an_update_unless_checks_are_off() -> None:
    browser = run_cup()
    assert "from the rating lists" not in read(browser, NOW)
    put_into_use({**JO, "standard": 2260}, {**ANNA, "standard": 1960}, dated="2026-12-01")
    assert "2 ratings differ from the rating lists." in " ".join(read(browser, NOW).split())
    # Nothing is changed by itself, and first the page asks whether the list is current.
    assert list_ratings()[:2] == [(1, 2210, "fide 2024-03-01, standard"), (2, 1900, "fide 2024-03-01, standard")]
    page = read(browser, PAGE)
    assert "Are these lists current?" in page and "2260" not in page
    RatingList.objects.update(loaded_at=timezone.now() - timedelta(hours=25))
    page = read(browser, PAGE)
    assert "a list is at most a day old" in page
    RatingList.objects.update(loaded_at=timezone.now())
    assert "a list is at most a day old" not in read(browser, PAGE)
    send(browser, PAGE, _take="1", entry=["2"])
    assert [rating for _number, rating, _source in list_ratings()][:2] == [2210, 1960]
    assert "1 rating differs from the rating lists." in " ".join(read(browser, NOW).split())
    change_competition(league_of().pk, "cup", {"rating_checks": False}, by="arno")
    assert "from the rating lists" not in read(browser, NOW)
    assert "2260" in read(browser, COMPARE)
    assert verify_league(league_of().pk).state == "is right"


def test_programs_compare_and_take_the_ratings() -> None:
    run_cup()
    put_into_use({**JO, "standard": 2260}, {**ANNA, "standard": 1960, "rapid": 1900}, dated="2026-12-01")
    api = Api("organise")
    assert Api().get(CHECKS).status_code == 401
    answer = api.get(CHECKS).data
    listed = [{"rating": 2260, "rating_from": "fide 2026-12-01, standard"}]
    assert (answer["day"], [one["dated"] for one in answer["lists"]]) == (None, ["2026-12-01"])
    assert answer["differences"][0] == {
        "entry": 1, "rating": 2210, "rating_from": "fide 2024-03-01, standard", "choices": listed,
    }  # fmt: skip
    # An entry that has its rating stays.
    for differing in ([2], [2]):
        taken = api.post(CHECKS, {"entries": [{"entry": 1}]})
        assert (taken.status_code, [one["entry"] for one in taken.data["differences"]]) == (200, differing)
    assert Entry.objects.get(number=1).official_ratings == listed
    change_competition(league_of().pk, "cup", {"rating_lists": ["fide:blitz"]}, by="arno")
    assert api.get(CHECKS).data["differences"] == []
    assert verify_league(league_of().pk).state == "is right"


def test_a_rating_that_is_equal_does_not_differ_from_wherever_it_is() -> None:
    run_cup()
    Entry.objects.filter(number__in=(1, 2)).update(official_ratings=[])
    # Jo's figure is of the club, Anna's was typed.
    Entry.objects.filter(number=1).update(rating_from="league")
    Entry.objects.filter(number=2).update(rating_from="")
    api = Api("organise")
    assert api.get(CHECKS).data["differences"] == []
    put_into_use({**JO, "standard": 2211}, ANNA, dated="2026-12-01")
    assert [one["entry"] for one in api.get(CHECKS).data["differences"]] == [1]


def test_nobody_is_told_of_lists_who_plays_another_game_or_with_ratings_of_the_league() -> None:
    browser = run_cup()
    put_into_use({**JO, "standard": 2260}, ANNA, dated="2026-12-01")
    notice = "1 rating differs from the rating lists."
    assert notice in " ".join(read(browser, NOW).split())
    League.objects.update(game="Barbu")
    assert notice not in " ".join(read(browser, NOW).split())
    League.objects.update(game="Chess")
    assert notice in " ".join(read(browser, NOW).split())
    Entry.objects.filter(number=1).update(rating_from="league")
    assert "from the rating lists" not in read(browser, NOW)
    # Whoever compares is told of it, and where the rating is from.
    assert "this league" in read(browser, COMPARE)
    assert Api("organise").get(CHECKS).data["differences"][0]["rating_from"] == "league"


def test_ratings_that_are_taken_after_the_start_are_said_to_count_for_later_rounds() -> None:
    browser = run_cup()
    put_into_use({**JO, "standard": 2260}, ANNA, dated="2026-12-01")
    assert "the rounds that are paired from now on use the ratings" in read(browser, COMPARE)
    assert "Since the start only a rating list changes it." in read(browser, NOW + "entries/1/")
    assert "Tick at least one entry." in send(browser, PAGE, _take="1")


def test_entries_that_are_closed_are_named_with_what_the_search_finds() -> None:
    browser = run_cup()
    Competition.objects.update(status=Competition.Status.FINISHED)
    page = read(browser, f"{PAGE}?q=roe")
    assert "Entries are closed: nobody can be entered here any more." in page
    assert "FIDE ID 77" in page and "fide:77" not in page and 'competitions/cup/entries/1/">entered<' in page


@pytest.mark.parametrize(
    ("entries", "pointer", "code"),
    [
        ([{"entry": 1}, {"entry": 9}], "/entries/1/entry", "unknown_entry"),
        ([{"entry": 1}, {"entry": 1}], "/entries/1/entry", "twice"),
        # The list of the competition has a rating of entry 1; of entry 2 only others have one.
        ([{"entry": 1, "list": "fide:rapid"}], "/entries/0/list", "unknown_list"),
        ([{"entry": 1}, {"entry": 2}], "/entries/1/list", "unknown_list"),
        ([{"entry": 2, "list": "fide:rapid"}], "/entries/0/list", "unknown_list"),
    ],
)
def test_an_entry_or_list_that_is_none_is_named_and_nothing_is_changed(
    entries: list[dict[str, Any]], pointer: str, code: str
) -> None:
    run_cup(rating_lists=["fide:blitz"])
    put_into_use({**JO, "blitz": 2300}, ANNA, dated="2026-12-01")
    before, api = list_ratings(), Api("organise")
    answer = api.post(CHECKS, {"entries": entries})
    assert (answer.status_code, [(one["pointer"], one["code"]) for one in answer.data["errors"]]) == (
        400, [(pointer, code)],
    )  # fmt: skip
    assert list_ratings() == before
    api.post(CHECKS, {"entries": [{"entry": 1}, {"entry": 2, "list": "fide:standard"}]})
    assert [rating for _number, rating, _source in list_ratings()][:2] == [2300, 1900]


def test_a_player_with_ids_of_two_federations_gets_both_ratings() -> None:
    browser = open_cup(rating_choice="highest", rating_lists=["fide:standard", "dsb:standard"])
    put_into_use(JO)
    put_into_use({**JO, "number": "D7", "standard": 2240}, provider="dsb")
    send(browser, PAGE, _enter="dsb:D7")
    player = Entry.objects.get().survivors[0]
    ExternalId.objects.create(player_id=player.pk, provider="fide", value="77")
    make_competition(league_of(), "swiss", slug="next", rounds=3, rating_choice="highest")
    send(browser, PAGE.replace("cup", "next"), _enter="fide:77")
    entry = Entry.objects.get(competition__slug="next")
    assert (entry.rating, entry.rating_from) == (2240, "dsb 2026-11-01, standard")
    assert [one["rating"] for one in entry.official_ratings] == [2210, 2240]
