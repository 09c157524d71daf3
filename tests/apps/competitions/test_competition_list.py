"""The list of competitions: how far each is, who leads or won it, in which zone; and seasons that are played out."""

import re
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from league.apps.competitions.models import Competition, Round, Season, SeasonPart
from league.apps.competitions.public.lists import ListedSeason, _describe_winner
from league.apps.competitions.public.season_words import describe_status
from league.apps.competitions.services.entries import withdraw_entry
from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import make_round, publish_round
from league.models import League
from tests.helpers.builders import make_league
from tests.helpers.desk_client import page_text
from tests.helpers.running_competitions import loaded_cup, play_round, run_competition, scores

pytestmark = pytest.mark.django_db
PLAYERS = ("anna", "ben", "cleo", "dan")
LIST = "/leagues/club/competitions/"


def number_of(league: League, name: str) -> int:
    """Return the number of the entry of a name."""
    loaded = loaded_cup(league)
    return next(number for number in loaded.entries if loaded.name(number) == name)


def test_a_running_cup_has_the_name_of_its_round_and_its_finalists(client: Client) -> None:
    league = make_league(players=PLAYERS)
    run_competition(league, PLAYERS, "knockout", rounds=2, tie_breaks=["TPN"])
    play_round(league, 1)
    assert "Semi-finals, round 1 of 2 Knock-out" in page_text(client.get(LIST))
    for fixture in loaded_cup(league).list_fixtures(1):
        record_result(league.pk, fixture.number, scores(1, 0), by="arbiter")
    assert re.search(r"Semi-finals, round 1 of 2 \w+ – \w+ are in the final Knock-out", page_text(client.get(LIST)))
    play_round(league, 2)
    assert re.search(r"Final, round 2 of 2 \w+ – \w+ are in the final Knock-out", page_text(client.get(LIST)))


def test_a_running_row_names_its_leaders_in_as_many_queries_for_several(client: Client) -> None:
    league = make_league(players=PLAYERS)
    run_competition(league, PLAYERS, "round_robin", rounds=3)
    # Before the first result nobody leads.
    assert " leads" not in page_text(client.get(LIST))
    play_round(league, 1, (1, 0), (0.5, 0.5))
    with CaptureQueriesContext(connection) as queries:
        shown = page_text(client.get(LIST))
    leader = next(name for name in ("Anna", "Ben", "Cleo", "Dan") if f"{name} leads with 1 point" in shown)
    assert f"Round 1 of 3 {leader} leads with 1 point Round robin" in shown
    for slug in ("two", "three"):
        run_competition(league, PLAYERS, "round_robin", rounds=3, slug=slug, title=slug)
    with CaptureQueriesContext(connection) as more:
        assert "three" in page_text(client.get(LIST))
    assert len(more) == len(queries)


def test_leaders_are_named_as_in_a_sentence_and_only_while_they_play(client: Client) -> None:
    league = make_league(players=PLAYERS)
    run_competition(league, PLAYERS, "swiss", rounds=3, tie_breaks=["WIN"])
    play_round(league, 1, (1, 0), (1, 0))
    shown = page_text(client.get(LIST))
    assert re.search(r"Round 1 of 3 \w+ and \w+ lead with 1 point Swiss", shown)
    play_round(league, 2, (1, 0), (0.5, 0.5))
    found = re.search(r"Round 2 of 3 (\w+) leads with 2 points Swiss", page_text(client.get(LIST)))
    assert found is not None
    leader = number_of(league, found[1])
    withdraw_entry(league.pk, "cup", leader, by="arbiter")
    assert "leads" not in page_text(client.get(LIST))


def test_nobody_who_has_left_is_in_the_final(client: Client) -> None:
    league = make_league(players=PLAYERS)
    run_competition(league, PLAYERS, "knockout", rounds=2, tie_breaks=["TPN"])
    play_round(league, 1, (1, 0), (1, 0))
    first, second = re.findall(r"(\w+) – (\w+) are in the final", page_text(client.get(LIST)))[0]
    number = number_of(league, first)
    withdraw_entry(league.pk, "cup", number, by="arbiter")
    assert f"{second} is in the final" in page_text(client.get(LIST))


def test_the_board_and_the_first_page_name_first_what_began_last(client: Client) -> None:
    league = make_league(players=PLAYERS)
    for slug, day in (("early", 4), ("late", 6), ("middle", 5)):
        run_competition(league, PLAYERS, "round_robin", rounds=3, slug=slug, title=slug.title())
        make_round(league.pk, slug, by="arbiter")
        publish_round(league.pk, slug, 1, by="arbiter")
        Round.objects.filter(competition__slug=slug, number=1).update(starts_at=datetime(2030, 5, day, 12, tzinfo=UTC))
    run_competition(league, PLAYERS, "round_robin", rounds=3, slug="untimed", title="Untimed")
    for path in ("/", "/leagues/club/"):
        shown = page_text(client.get(path))
        assert re.findall("Late|Middle|Early|Untimed", shown)[0] == "Late", shown


def test_who_share_a_first_place_are_winners_with_points_each() -> None:
    assert _describe_winner(["Anna"], Fraction(3)) == "Winner: Anna, 3 points"
    assert _describe_winner(["Anna", "Ben", "Cleo"], Fraction(1)) == "Winners: Anna, Ben and Cleo, 1 point each"
    assert _describe_winner(["Anna", "Ben"], Fraction(5, 2)) == "Winners: Anna and Ben, 2.5 points each"
    assert (_describe_winner(["Anna"], None), _describe_winner(["Anna", "Ben"], None)) == (
        "Winner: Anna",
        "Winners: Anna and Ben",
    )


def season_of(rule: Any, *parts: tuple[str, str]) -> tuple[Season, list[SeasonPart]]:
    """Return a running season that is not stored, and its parts by status and key of a stage."""
    season = Season(league=League(slug="club", time_zone="UTC"), status="running", rule=rule)
    return season, [SeasonPart(competition=Competition(status=status), stage=stage) for status, stage in parts]


def test_a_season_says_that_all_its_competitions_are_finished() -> None:
    divisions = {"divisions": {"target_size": 4}}
    finished, running = ("finished", ""), ("running", "")
    assert describe_status(*season_of(divisions, finished, running)) == "Running"
    assert describe_status(*season_of(divisions)) == "Running"
    assert describe_status(*season_of(divisions, finished, ("cancelled", ""))) == "All competitions finished"
    # Play-offs, stages and events may be to come.
    with_play_offs = {"divisions": {"target_size": 4, "up": {"number": 1}, "play_off": {"number": 1}}}
    assert describe_status(*season_of(with_play_offs, finished)) == "Running"
    assert (
        describe_status(*season_of(with_play_offs, finished, ("finished", "play_off"))) == "All competitions finished"
    )
    series = {"series": {"points": {"table": [5, 2, 1]}, "best": 1, "of": 2}}
    assert describe_status(*season_of(series, finished)) == "1 of 2 events played"


def test_the_next_event_of_a_season_is_in_its_own_zone() -> None:
    season, parts = season_of({"series": {"points": {"table": [5, 2, 1]}, "best": 1, "of": 2}}, ("running", ""))
    event = parts[0].competition
    event.starts_at, event.time_zone = datetime(2030, 5, 1, 23, tzinfo=UTC), "Europe/Belgrade"
    listed = ListedSeason(season, 0, parts)
    assert listed.next_event is event
    assert listed.clock.time_zone == "Europe/Belgrade"
    event.time_zone = ""
    assert listed.clock.time_zone == "UTC"
