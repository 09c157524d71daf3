"""What a competition changes of FIDE's ratings, on the card of an entry, at the desk and as data."""

import json
import re
from typing import Any

import pytest
from django.test import Client

from league.apps.competitions.models import Entry
from league.apps.competitions.selectors.fide_elo import FideElo, build_fide_elo
from league.apps.competitions.selectors.fide_texts import describe_norm
from league.apps.competitions.selectors.standings import compute_standings
from league.apps.competitions.services.competitions import start_competition
from league.apps.rating_lists.models import ListedRow, RatingList
from league.core.players.listed_people import RATING_OF_LEAGUE
from league.core.players.services.players import set_initial_rating
from league.core.verify.run import verify_league
from league.models import ExternalId, League, Player
from ratings.fide.title_norms import NormHint, NormPart
from tests.helpers.builders import FOUR, make_league
from tests.helpers.competition_builders import enter, make_competition
from tests.helpers.competition_desk import read, sign_in
from tests.helpers.running_competitions import loaded_cup, play_round, run_competition

pytestmark = pytest.mark.django_db
FROM_LIST = "fide 2026-11-01, standard"
CUP_DESK = "/admin/leagues/club/competitions/cup/"
DRAWS = ((0.5, 0.5), (0.5, 0.5))


def describe_entries(**by_number: dict[str, Any]) -> None:
    """Change what entries brought along: ``no1={"rating": 2100}``."""
    for name, values in by_number.items():
        Entry.objects.filter(number=int(name.removeprefix("no"))).update(**values)


def draw_cup(league: League, **settings: Any) -> None:
    """Play a round of draws: 2100 against 1600, and 1900 against somebody with the league's rating."""
    run_competition(league, FOUR, **settings)
    describe_entries(
        no1={"rating": 2100},
        no2={"rating": 1900, "rating_from": FROM_LIST},
        no3={"rating": 1600, "federation": "GER"},
        no4={"rating": 1500, "rating_from": RATING_OF_LEAGUE},
    )
    play_round(league, 1, *DRAWS)


def find_sums(league: League, number: int) -> FideElo | None:
    """Return the sums of an entry."""
    loaded = loaded_cup(league)
    return build_fide_elo(loaded, compute_standings(loaded).table, number)


def add_listed(player: str, number: str, **person: Any) -> None:
    """Put a person with the id of a player into FIDE's list."""
    listed, _new = RatingList.objects.get_or_create(
        provider="fide",
        title="FIDE",
        dated="2026-11-01",
        state="current",
        defaults={"people": 1, "loaded_at": "2026-11-01T00:00Z"},
    )
    ListedRow.objects.create(rating_list=listed, name_key=player.encode(), name=player, number=number, **person)
    ExternalId.objects.create(player=Player.objects.get(handle=player), provider="fide", value=number)


def test_the_card_has_the_change_with_the_assumed_k_and_its_games_as_data() -> None:
    league = make_league()
    draw_cup(league)
    browser, address = Client(), "/leagues/club/competitions/cup/entries/1/"
    page = read(browser, address)
    # The difference of 500 counts as 400: .92 were expected. .42 x 20.
    # Beside the round, too.
    assert page.count("−8.4<") == 3
    for text in ("FIDE rating", "−8.4<", "K 20 is assumed", "0.92 were expected", "2092", "+500", "counts"):
        assert text in page
    (game,) = json.loads(read(browser, f"{address}?table=fide&format=json"))["results"]
    assert game == {
        "round": 1, "opponent": 3, "difference": 400, "limited": True, "expected": 0.92, "score": 0.5, "k": 20,
        "change": -8.4,
    }  # fmt: skip
    assert "+8.4<" in read(browser, address.replace("/1/", "/3/"))
    csv = read(browser, f"{address}?table=fide&format=csv").splitlines()
    assert csv == ["round,opponent,difference,limited,expected,score,k,change", "1,3,400,true,0.92,0.5,20,-8.4"]


def test_the_api_has_the_same() -> None:
    league = make_league()
    draw_cup(league)
    card = "/api/v1/leagues/club/competitions/cup/entries/{}/card/"
    first, second, fourth = (Client().get(card.format(number)).json()["fide"] for number in (1, 2, 4))
    assert (first["rating"], first["k"], first["k_reason"], first["change"]) == (2100, 20, "usual", -8.4)
    assert (first["first_rating"], first["norms"], len(first["games"])) == (None, [], 1)
    assert (second["k"], second["change"], second["games"]) == (None, None, [])
    assert (fourth["rating"], fourth["first_rating"]) == (None, {"rating": 1833, "games": 1, "reason": "games"})


def test_norms_are_told_by_the_titles_and_federations_of_the_entries() -> None:
    league = make_league()
    run_competition(league, FOUR, "round_robin", rounds=3)
    Entry.objects.update(rating=2600, title="GM", federation="GER")
    describe_entries(no1={"rating": 2450, "title": "IM", "federation": "AUT"})
    for number in (1, 2, 3):
        play_round(league, number, *DRAWS)
    page = read(Client(), "/leagues/club/competitions/cup/entries/1/")
    # 150 less than 2600: 0.30 of a point is expected. K is 10 from 2400 on: 3 x 0.20 x 10.
    (total,) = re.findall(r"<tfoot>.*</tfoot>", page, re.DOTALL)
    assert re.sub(r"<[^>]*>|\s+", " ", total).split() == ["Sum", "Expected", "0.90", "Points", "1.5", "+6.0"]
    # Three draws with 2600: the performance is 2600; six games, three titles of nine and a second federation lack.
    assert "GM norm" in page
    assert "Performance 2600 in 3 games. Not met yet: 6 more games; 5 opponents with a title (3 met);" in page
    assert "opponents of 2 other federations (1 met)." in page
    assert "IM norm" not in page


def test_the_sheet_of_a_norm_has_every_condition(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games with the ratings that count, what is asked and what was found."""
    desk = sign_in("arbiter")
    league = League.objects.get()
    run_competition(league, FOUR, "round_robin", rounds=3, venue="Town hall", federation="AUT", arbiter="Ada Arbiter")
    Entry.objects.update(rating=2600, title="GM", federation="GER")
    describe_entries(no1={"rating": 2450, "title": "IM", "federation": "AUT", "about": {"born": 1990}})
    add_listed("anna", "1503014", federation="AUT")
    for number in (1, 2, 3):
        play_round(league, number, *DRAWS)
    page = " ".join(read(desk, f"{CUP_DESK}print/norms/").split())
    for text in (
        "GM norm: Anna",
        "Town hall",
        "1503014",
        "1990",
        "Not met yet: 6 more games;",
        "at least 2380",
        "Not made: there is nothing to sign.",
    ):
        assert text in page
    assert "Ada Arbiter" not in page
    with monkeypatch.context() as patch:
        patch.setattr(NormHint, "is_met", True)
        made = " ".join(read(desk, f"{CUP_DESK}print/norms/").split())
    assert "Chief arbiter (Ada Arbiter): ____" in made
    assert "nothing to sign" not in made
    assert page.count('class="sheet normsheet"') == 1
    Entry.objects.filter(number=2).update(rating=None)
    page = " ".join(read(desk, f"{CUP_DESK}print/norms/?entry=1").split())
    # Ben scored against rated opponents, so that his game counts: as 2200, the floor.
    assert '<td class="num">–</td><td class="num">2200</td>' in page
    assert "No norm to print." in read(desk, f"{CUP_DESK}print/norms/?entry=99")
    assert "print/norms/?entry=1" in read(desk, f"{CUP_DESK}entries/1/")


def test_who_has_no_rating_of_fide_gets_a_first_rating_and_counts_for_nobody() -> None:
    league = make_league()
    draw_cup(league)
    # (1900 + 2 x 1800) / 3 = 1833.33; 1½ of 3.
    page = read(Client(), "/leagues/club/competitions/cup/entries/4/")
    assert "First rating so far: 1833, by a score of ½ of 1" in page
    assert "4 more games against rated opponents are needed." in page
    assert "no game against an opponent with a FIDE rating" in read(
        Client(), "/leagues/club/competitions/cup/entries/2/"
    )


def test_k_and_year_of_birth_are_those_of_the_list() -> None:
    league = make_league()
    draw_cup(league)
    add_listed("anna", "11", standard=2100, standard_k=40, born=2012)
    add_listed("cleo", "12", standard=1600, born=2012)
    (first, third) = (find_sums(league, number) for number in (1, 3))
    assert first and third
    (own,), (other,) = first.periods, third.periods
    assert own.k == (40, "listed") and own.listed_in == "fide 2026-11-01"
    assert first.total and float(first.total) == -16.8
    assert other.k == (40, "youth") and other.listed_in == ""


def test_the_desk_shows_the_same_and_nothing_where_fides_sums_mean_nothing() -> None:
    browser = sign_in()
    league = League.objects.get()
    draw_cup(league)
    desk = "/admin/leagues/club/competitions/cup/entries/{}/"
    assert "−8.4<" in read(browser, desk.format(1))
    describe_entries(**{f"no{number}": {"rating_from": RATING_OF_LEAGUE} for number in (1, 2, 3)})
    assert 'id="fide"' not in read(browser, desk.format(1))
    assert find_sums(league, 1) is None
    describe_entries(no1={"rating_from": "dsb 2026-11-01, standard"})
    assert find_sums(league, 1) is None


def test_other_games_than_chess_have_no_elo_of_fide() -> None:
    league = make_league()
    draw_cup(league)
    League.objects.update(game="Go")
    assert find_sums(league, 1) is None
    League.objects.update(game="Chess")
    assert find_sums(league, 1) is not None


def test_a_rating_of_the_league_is_told_from_one_that_was_brought_along() -> None:
    league = make_league()
    make_competition(league, "swiss", rounds=3)
    set_initial_rating(league.pk, Player.objects.get(handle="ben"), 1712.5)
    enter(league, "anna", rating=1800)
    enter(league, "ben", "cleo")
    start_competition(league.pk, "cup", by="test")
    rows = Entry.objects.order_by("number").values_list("rating", "rating_from")
    assert [*rows] == [(1800, ""), (1713, "league"), (None, "")]
    assert verify_league(league.pk).differences == []


def test_what_a_norm_lacks_is_said_in_a_sentence() -> None:
    parts = (
        NormPart("performance", 2544, 2600), NormPart("games", 8, 9), NormPart("average", 2370, 2380),
        NormPart("score", 6, 7), NormPart("titled", 3, 5), NormPart("high_titles", 1, 3),
        NormPart("federations", 1, 2), NormPart("own_federation", 6, 5, at_most=True),
        NormPart("one_federation", 7, 6, at_most=True), NormPart("players", 5, 6),
    )  # fmt: skip
    assert describe_norm(NormHint("GM", 8, parts)) == (
        "Performance 2544 in 8 games. Not met yet: a performance of 2600; 1 more game; "
        "an opponents’ average of 2380 (it is 2370); at least 3.5 points; 5 opponents with a title (3 met); "
        "3 opponents with the title GM (1 met); opponents of 2 other federations (1 met); "
        "at most 5 opponents of the own federation (6 met); at most 6 opponents of one federation (7 met); "
        "6 players in a double round robin (5 are there)."
    )
    higher = {title: NormHint(title, 8, (parts[0], parts[5])) for title in ("IM", "WGM")}
    assert "; 3 opponents with the title IM or GM (1 met)." in describe_norm(higher["IM"])
    assert "; 3 opponents with the title WGM, IM or GM (1 met)." in describe_norm(higher["WGM"])
    made = NormHint("IM", 9, (NormPart("performance", 2460, 2450),))
    assert describe_norm(made) == "Performance 2460 in 9 games: as far as can be seen here, the norm is made."
