"""The way back of a split: found in the books by every organiser, with the choices about closed periods."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client, override_settings

from league.core.games.selectors.splits import load_splits
from league.core.games.services.record import correct_game
from league.core.verify.run import verify_league
from league.models import Game, Membership, Player
from tests.helpers.builders import EVENING, make_league, ratings, record, sheet
from tests.helpers.desk_client import page_messages, page_text, sign_in_member
from tests.helpers.dry_run_builders import shown_after
from tests.helpers.ladder_builders import close, keys, make_ladder, period, state, tables, utc
from tests.helpers.shared import built_once
from tests.helpers.split_builders import (
    PERSON,
    SPLIT,
    build_six_games,
    seats_of_games,
    six_games,
    split_anna,
    split_fields,
)
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]

built = built_once(build_six_games)


def parted_by(browser: Client, numbers: list[str], **who: str) -> Any:
    """Return the page after games were split off Anna on the desk."""
    page = browser.post(SPLIT, {"game": numbers, **(who or {"who": "Zora", "new": "on"})})
    return browser.post(SPLIT, split_fields(page), follow=True)


@long_way
def test_another_organiser_takes_a_split_back_by_the_page_of_either_player(olga: Client) -> None:
    league = six_games()
    places = seats_of_games(league)
    parted_by(olga, ["1", "5"])
    olga.logout()
    owen = sign_in_member("owen", Membership.Role.ORGANISER, league)
    for handle, said in (("anna", "2 games were moved to Zora"), ("Zora", "2 games were moved from Anna")):
        page = owen.get(f"/admin/leagues/club/people/players/{handle}/")
        assert said in page_text(page)
        assert [split.number for split in page.context["splits"]] == [7]
    before = tables("Session")
    page = owen.get(BACK)
    assert tables("Session") == before
    assert "Give 2 games of Zora back to Anna?" in page_text(page)
    then = {one.player: one.after for one in page.context["tried"].diff.ratings}
    assert owen.post(BACK, yes_back(page)).status_code == 302
    assert seats_of_games(league) == places
    assert then == {name: ratings(league).get(name) for name in then}
    assert owen.get(PERSON).context["splits"] == []
    assert verify_league(league.pk).differences == []


BACK = "/admin/leagues/club/people/splits/7/"


def yes_back(page: Any, **more: Any) -> dict[str, Any]:
    """Return what the key of the page sends that takes a split back."""
    return {"seen": page.context["seen"], "once": page.context["once"], "_commit": "yes", **more}


@long_way
def test_a_game_that_was_changed_since_is_no_part_of_what_is_taken_back(olga: Client) -> None:
    league = six_games()
    parted_by(olga, ["1", "5"])
    page = olga.get(BACK)
    correct_game(league.pk, 8, sheet(("dan", "Zora"), (0, 1)), reason="misread", username="ben")
    moved = olga.post(BACK, yes_back(page))
    assert "has changed since you opened this page, so nothing was saved" in page_text(moved)
    assert [one.numbers for one in olga.get(PERSON).context["splits"]] == [[(1, 7)]]
    olga.post(BACK, yes_back(moved))
    assert (seats_of_games(league)["x-0"], seats_of_games(league)["x-4"]) == (["anna", "ben"], ["dan", "Zora"])
    assert "There is no split to undo" in page_messages(olga.get(BACK, follow=True))
    assert olga.get("/admin/leagues/club/people/splits/99/").status_code == 302
    assert verify_league(league.pk).differences == []


def test_what_was_corrected_is_found_without_reading_the_league() -> None:
    league = make_league(slug="other")
    first = record(league, sheet(("anna", "ben"), (1, 0)))
    correct_game(league.pk, first.number, sheet(("cleo", "ben"), (1, 0)), reason="misread", username="test")
    moments = {"played_at": EVENING, "recorded_at": EVENING}
    Game.objects.bulk_create(Game(league=league, number=n, order_key=n, **moments) for n in range(100, 600))
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("ANALYZE league_game")
            cursor.execute("SET LOCAL enable_seqscan = off")
    plan = league.games.filter(voided_at__isnull=True, replaces__isnull=False).order_by("-number")[:10].explain()
    assert "replacing_games" in plan or "games_that_replace" in plan
    assert len(load_splits(league, Player.objects.get(handle="cleo"))) == 1


def test_only_games_that_changed_hands_and_nothing_else_are_a_split() -> None:
    league = six_games()
    make_league(slug="more", players=("eva", "flo"))
    correct_game(league.pk, 1, sheet(("anna", "ben"), (0, 1)), reason="score", username="olga")
    correct_game(league.pk, 2, sheet(("eva", "cleo"), (0, 1)), reason="both", username="olga")
    correct_game(league.pk, 4, sheet(("eva", "flo"), (1, 0)), reason="two people", username="olga")
    anna, eva = Player.objects.get(handle="anna"), Player.objects.get(handle="eva")
    assert load_splits(league, anna) == load_splits(league, eva) == []
    # By one act each: neither is the other's.
    one, two = split_anna(league, [5], into="eva"), split_anna(league, [6], into="eva")
    assert [found.numbers for found in load_splits(league, anna)] == [two.numbers, one.numbers]
    assert load_splits(league, anna) == load_splits(league, eva)
    assert load_splits(league, Player.objects.get(handle="dan")) == []
    assert [(found.player, found.into, found.by) for found in load_splits(league, anna)] == [(anna, eva, "olga")] * 2


@long_way
def test_closed_periods_are_decided_about_with_the_split_and_with_its_way_back(olga: Client) -> None:
    league = six_games()
    make_ladder(league)
    close(league, "2024-03")
    page = olga.post(SPLIT, {"who": "Zora", "new": "on", "game": ["1"]})
    assert page.context["asked"] == ["month/2024-03"]
    assert "Publish edition 2" in page_text(page)
    before = tables("Session")
    unsaid = olga.post(SPLIT, split_fields(page, asked=page.context["asked"]))
    assert "Decide what happens to each closed period." in page_text(unsaid)
    assert tables("Session") == before
    said = {"asked": page.context["asked"], "becomes-month/2024-03": "publish"}
    done = olga.post(SPLIT, split_fields(unsaid, **said), follow=True)
    assert "Edition 2 of March 2024 was published." in page_messages(done)
    assert state(league, "2024-03") == (True, False)
    # The one press leads to the page, for there is something to decide again.
    assert done.context["undo"]["seen"] == ""
    back = olga.post(done.context["undo"]["address"])
    assert back.context["asked"] == ["month/2024-03"]
    unsaid = olga.post(BACK, yes_back(back, asked=back.context["asked"]))
    assert "Decide what happens to each closed period." in page_text(unsaid)
    said = {"asked": back.context["asked"], "becomes-month/2024-03": "stand"}
    assert "Edition 2 of March 2024 was kept." in page_messages(olga.post(BACK, yes_back(unsaid, **said), follow=True))
    assert state(league, "2024-03") == (True, False)
    assert verify_league(league.pk).differences == []


@override_settings(RUNGS_INLINE_GAMES=0)
def test_of_games_that_are_rated_later_nobody_is_asked_what_becomes_of_periods(olga: Client) -> None:
    league = six_games()
    make_ladder(league)
    close(league, "2024-03")
    page = shown_after(olga, SPLIT, {"who": "Zora", "new": "on", "game": ["1"]})
    assert page.context["asked"] == []
    assert "Once the games are rated, March 2024 appears under Decisions due." in page_text(page)


def test_another_leagues_split_is_not_taken_back_here(olga: Client) -> None:
    make_league(slug="other")
    done = parted_by(olga, ["1"])
    page = olga.post(done.context["undo"]["address"].replace("/club/", "/other/"), follow=True)
    assert "There is no split to undo" in page_messages(page)
    assert olga.get(PERSON).context["splits"] != []


@long_way
def test_more_games_and_closed_periods_than_are_shown_are_counted(olga: Client) -> None:
    """Thirteen weeks are closed, of thirteen games: twelve of each stand there."""
    league = make_league(slug="weeks", parameters={"k": 32})
    make_ladder(league, "week", cadence="week")
    address = SPLIT.replace("/club/", "/weeks/")
    for number in range(13):
        record(league, sheet(("anna", "ben"), (1, 0), played_at=utc("2024-03-05") + timedelta(weeks=number)))
    for key in keys(league, "week"):
        close(league, key, "week")
    page = olga.post(address, {"who": "Zora", "new": "on", "game": [str(number) for number in range(1, 14)]})
    assert (len(page.context["tried"].sheets), len(page.context["more_closed"])) == (12, 1)
    assert "1 more" in page_text(page)
    assert len(page.context["asked"]) == 13
    (shown,) = page.context["more_closed"]
    assert "And 1 more: " in page_text(page)
    assert f'href="/leagues/weeks/ladders/week/{shown.key}/"' in page.content.decode()
    one = {"asked": page.context["asked"], "becomes-all": "stand"}
    done = page_messages(olga.post(address, split_fields(page, **one), follow=True))
    assert "13 games were split off" in done
    assert done.endswith("13 editions were kept.")
    assert period(league, "2024-W10", "week").awaits is False
