"""What a tournament report states of national ratings: line 172, and lines of the federation."""

import pytest

from league.apps.competitions.files.trf_reading import read_trf
from league.apps.competitions.models import Competition, Entry
from league.apps.competitions.selectors.exporting import export_report
from league.core.players.listed_people import SourcedRating
from league.models import ExternalId, Player
from ratings.trf.competition import read_competition
from tests.helpers.builders import FOUR, make_league
from tests.helpers.running_competitions import loaded_cup, play_round, run_competition

pytestmark = pytest.mark.django_db
LISTS = {"fide": "fide 2026-11-01, standard", "dsb": "dsb 2026-11-01, standard"}


def run_rated(order: tuple[str, ...], choice: str = "first") -> list[str]:
    """Return the report of a cup in which entry 1 has both ratings, 2 a national one, 3 FIDE's and 4 none."""
    league = make_league(players=FOUR, game="Chess")
    lists = [f"{one}:standard" for one in order]
    run_competition(league, FOUR, rounds=3, rating_lists=lists, rating_choice=choice, federation="GER")
    known = {1: {"fide": 2100, "dsb": 2150}, 2: {"dsb": 1990}, 3: {"fide": 1900}, 4: {}}
    for number, ratings in known.items():
        some = [SourcedRating(ratings[one], LISTS[one]) for one in order if one in ratings]
        used = max(some) if choice == "highest" and some else next(iter(some), None)
        official = [one._asdict() for one in some]
        Entry.objects.filter(number=number).update(
            official_ratings=official, federation="AUT", **(used._asdict() if used else {})
        )
    ExternalId.objects.create(player=Player.objects.get(handle=FOUR[0]), provider="dsb", value="D77")
    play_round(league, 1, (1, 0), (1, 0))
    return export_report(loaded_cup(league)).decode().splitlines()


@pytest.mark.parametrize(
    ("order", "choice", "method"),
    [
        (("fide", "dsb"), "first", "FIDON"), (("dsb", "fide"), "first", "NIDOF"), (("dsb",), "first", "NRO"),
        (("fide",), "first", "FIDE"), (("fide", "dsb"), "highest", "HBFN"),
    ],
)  # fmt: skip
def test_line_172_has_the_method_and_the_federation_its_lines(order: tuple[str, ...], choice: str, method: str) -> None:
    report = run_rated(order, choice)
    assert [line for line in report if line.startswith("172")] == [f"172 GER {method}"]
    own = [line for line in report if line.startswith("GER")]
    assert [(line[4:8].strip(), line[48:52], line[53:56], line[57:68].strip()) for line in own] == (
        [("1", "2150", "AUT", "D77"), ("2", "1990", "AUT", "")] if "dsb" in order else []
    )
    # A reader keeps the lines and has the same competition.
    again = read_competition(read_trf("\r\n".join(report).encode()))
    assert [one.rating for one in again.players] == list(
        Entry.objects.order_by("number").values_list("rating", flat=True)
    )


def test_a_typed_rating_is_another_method_and_without_lists_nothing_is_stated() -> None:
    run_rated(("fide", "dsb"))
    Entry.objects.filter(number=1).update(rating=2000, rating_from="")
    league = Competition.objects.get().league
    assert "172 GER OTHER" in export_report(loaded_cup(league)).decode().splitlines()
    assert not [
        one for one in export_report(loaded_cup(league), "16").decode().splitlines() if one[:3] in ("172", "GER")
    ]
    Entry.objects.update(official_ratings=[])
    assert not [one for one in export_report(loaded_cup(league)).decode().splitlines() if one[:3] in ("172", "GER")]
