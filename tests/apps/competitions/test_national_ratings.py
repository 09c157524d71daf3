"""What a tournament report states of national ratings: line 172, and lines of the federation."""

import pytest

from league.apps.competitions.files.trf_reading import read_trf
from league.apps.competitions.models import Competition, Entry
from league.apps.competitions.selectors.exporting import export_report
from league.apps.rating_lists.models import RatingList
from league.core.players.listed_people import SourcedRating
from league.models import ExternalId, Player
from ratings.trf.competition import read_competition
from tests.apps.competitions.files.trf_texts import FIVE
from tests.helpers.api_client import Api
from tests.helpers.builders import FOUR, make_league
from tests.helpers.listed_people import put_into_use
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


def test_an_imported_report_states_the_ratings_of_lists_that_entries_got_later() -> None:
    make_league("elo", players=())
    api = Api("organise")
    slug = api.post_file("leagues/club/competitions/import/?create_players=true", FIVE, "text/plain").data["slug"]
    export = f"leagues/club/competitions/{slug}/export/?format="
    assert api.get(f"{export}trf").content.decode() == FIVE
    put_into_use({"number": "D7", "name": "Roe", "standard": 1990}, provider="dsb")
    RatingList.objects.update(federation="GER")
    taken = {"rating": 1990, "rating_from": LISTS["dsb"]}
    entry = {**taken, "official_ratings": [taken]}
    assert api.patch(f"leagues/club/competitions/{slug}/entries/2/", entry).status_code == 200
    for kind in ("trf", "trf26"):
        report = api.get(f"{export}{kind}").content.decode().splitlines()
        # The others have typed ratings.
        assert [line for line in report if line.startswith("172")] == ["172 GER OTHER"]
        own = [line for line in report if line.startswith("GER")]
        assert [(line[4:8].strip(), line[48:52]) for line in own] == [("2", "1990")] and report[-1] == own[0]
    assert not [line for line in api.get(f"{export}trf16").content.decode().splitlines() if line[:3] in ("172", "GER")]
    Entry.objects.exclude(number=2).update(rating=None)
    assert "172 GER NRO" in api.get(f"{export}trf").content.decode().splitlines()


def test_a_rating_of_0_is_not_counted_as_rated() -> None:
    league = make_league(players=FOUR, game="Chess")
    run_competition(league, FOUR, rounds=3)
    Entry.objects.filter(number=1).update(rating=0)
    Entry.objects.filter(number=2).update(rating=1900)
    play_round(league, 1, (1, 0), (1, 0))
    assert "072 1" in export_report(loaded_cup(league)).decode().splitlines()
