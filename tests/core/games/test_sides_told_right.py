"""Sides where figures of a game are told again: tables, head to head, sums, what-if, what is voided.

What is expected is worked out here by the formulas of the systems' sources, from the ratings before a game.
"""

import csv
from collections.abc import Sequence
from datetime import timedelta
from io import StringIO
from math import sqrt
from statistics import NormalDist
from typing import Any

import pytest
from django.test import Client

from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import void_game
from league.core.players.selectors.resolve import find_player
from league.core.players.selectors.versus import load_versus
from league.core.rules.selectors.rules import load_rules
from league.models import League, RatingChange
from tests.helpers.api_client import Api
from tests.helpers.builders import EVENING, FOUR, make_league, record
from tests.helpers.builders import sheet as alone
from tests.helpers.desk_client import sheet_fields

pytestmark = pytest.mark.django_db


def doubles(
    names: Sequence[str] = FOUR,
    scores: Sequence[float] = (21, 21, 15, 15),
    sides: Sequence[int] = (1, 1, 2, 2),
    minutes: int = 0,
    **more: Any,
) -> NewGame:
    """Return a game of sides."""
    lines = [NewResult(name, score, None, side) for name, score, side in zip(names, scores, sides, strict=True)]
    return NewGame(lines, EVENING + timedelta(minutes=minutes), **more)


def before(number: int) -> dict[str, float]:
    """Return each player's rating before a game, as the books have it."""
    return dict(RatingChange.objects.filter(number=number, step=1).values_list("player__handle", "before"))


def apart(*games: NewGame, system: str = "elo", players: Sequence[str] = FOUR) -> League:
    """Return a league whose four are rated apart by singles, and then played these games: they are 4 and on."""
    league = make_league(system, players)
    record(league, alone(("anna", "ben"), (1, 0)))
    record(league, alone(("anna", "cleo"), (1, 0), minutes=1))
    record(league, alone(("dan", "cleo"), (1, 0), minutes=2))
    for game in games:
        record(league, game)
    return league


def elo(mine: float, theirs: float) -> float:
    """Return E by Elo's formula."""
    return float(1 / (1 + 10 ** ((theirs - mine) / 400)))


def test_the_table_of_a_players_games_counts_people_and_has_partners_beside_opponents(client: Client) -> None:
    league = make_league("elo", FOUR)
    record(league, doubles(("dan", "anna", "ben", "cleo"), sides=(1, 2, 2, 1), scores=(21, 15, 15, 21)))
    record(league, alone(("anna", "ben"), (1, 0), minutes=1))
    answer = client.get("/leagues/club/players/anna/games.csv")
    rows = list(csv.DictReader(StringIO(answer.content.decode())))
    assert list(rows[0])[-2:] == ["against", "with"]
    assert [(row["players"], row["seat"], row["finish"], row["against"], row["with"]) for row in rows] == [
        ("4", "2", "2", "Dan, Cleo", "Ben"),
        ("2", "1", "1", "Ben", ""),
    ]
    told = client.get("/leagues/club/players/anna/?format=json&table=games").json()
    assert "Ben" in str(told)


def test_head_to_head_expects_of_sides_what_elo_expects_of_their_means(client: Client) -> None:
    league = apart(doubles(minutes=3), doubles(("anna", "ben", "cleo"), (3, 9, 9), (1, 2, 2), minutes=4))
    found = load_versus(league, find_player("anna"), find_player("cleo"), load_rules(league))
    four, five = before(4), before(5)
    assert four["anna"] > 1500 > four["cleo"]
    assert [one.of_sides for one in found.meetings] == [True, True, False]
    assert [one.expected for one in found.meetings] == [
        pytest.approx(elo(five["anna"], (five["ben"] + five["cleo"]) / 2), abs=1e-12),
        pytest.approx(elo((four["anna"] + four["ben"]) / 2, (four["cleo"] + four["dan"]) / 2), abs=1e-12),
        pytest.approx(elo(before(2)["anna"], 1500), abs=1e-12),
    ]
    page = client.get("/leagues/club/players/anna/versus/cleo/").content.decode()
    assert "In team games this is the team's expected score." in page
    assert "games of sides" not in client.get("/leagues/club/players/dan/versus/cleo/").content.decode()
    told = Api().get("leagues/club/players/anna/versus/cleo/").data
    assert told["expected"]["expected"] == pytest.approx(sum(one.expected or 0 for one in found.meetings))
    # An explanation says so, too.
    game = client.get("/leagues/club/games/5/").content.decode()
    mean = (five["ben"] + five["cleo"]) / 2
    assert f"{mean:.1f} is the team&#x27;s value: Average rating of the players in this team." in game
    assert game.count("is the team&#x27;s value") == 2
    assert f"With a rating of {five['anna']:.1f}, Anna was expected" in game


def test_head_to_head_takes_whole_states_of_partners_also_of_newcomers() -> None:
    league = apart(doubles(("anna", "eva", "cleo", "dan"), minutes=3), system="trueskill", players=(*FOUR, "eva"))
    found = load_versus(league, find_player("anna"), find_player("cleo"), load_rules(league))
    mu = before(4)
    last = {name: RatingChange.objects.filter(player__handle=name, step=1, number__lt=4).order_by("games").last()
            for name in ("anna", "cleo", "dan")}  # fmt: skip
    # TrueSkill's own defaults: σ 25/3, β 25/6, τ 25/300, a draw of 10 % among two, which counts half.
    sigma = {"eva": 25 / 3, **{name: line.state_1 for name, line in last.items() if line}}
    beta, tau = 25 / 6, 25 / 300
    spread = sqrt(sum(sigma[name] ** 2 + tau**2 + beta**2 for name in ("anna", "eva", "cleo", "dan")))
    ahead = mu["anna"] + mu["eva"] - mu["cleo"] - mu["dan"]
    assert ahead > 0
    expected = found.meetings[0].expected
    assert expected is not None
    normal = NormalDist()
    margin = normal.inv_cdf((0.1 + 1) / 2) * sqrt(2) * beta
    promised = (normal.cdf((ahead - margin) / spread) + normal.cdf((ahead + margin) / spread)) / 2
    assert expected == pytest.approx(promised, abs=1e-9)
    assert mu["eva"] == 25


def test_a_game_of_sides_that_waits_is_a_meeting_of_which_nothing_is_expected_yet() -> None:
    league = apart(doubles(minutes=3))
    RatingChange.objects.filter(league=league, number=4).delete()
    found = load_versus(league, find_player("anna"), find_player("cleo"), load_rules(league))
    assert [one.expected is None for one in found.meetings] == [True, False]


def test_a_correction_counts_a_sides_score_once_as_the_pad_does(olga: Client) -> None:
    league = make_league("elo", FOUR)
    record(league, doubles(scores=(21, 21, 12, 12)))
    data: dict[str, Any] = {"seats-TOTAL_FORMS": 4, "seats-INITIAL_FORMS": 4, "weight": "1", "note": ""}
    for row, (name, score, side) in enumerate(zip(FOUR, (21, "", 19, ""), (1, 1, 2, 2), strict=True)):
        data |= {f"seats-{row}-player": name, f"seats-{row}-score": score, f"seats-{row}-side": side}
    text = " ".join(olga.post("/admin/leagues/club/games/1/correct/", data, follow=True).content.decode().split())
    assert "the sum changes from 33 to 40." in text


def test_what_if_takes_a_sides_score_that_is_written_once(client: Client) -> None:
    record(make_league("elo", FOUR), doubles(scores=(9, 9, 9, 9)))
    query = "&".join(
        f"p={name}&r={score}&s={side}" for name, score, side in zip(FOUR, (21, "", 15, ""), (1, 1, 2, 2), strict=True)
    )
    text = client.get(f"/leagues/club/what-if/?{query}").content.decode()
    assert "needs a score for every seat" not in text
    assert "Anna &amp; Ben – Cleo &amp; Dan" in text
    # Everyone is at 1500 and K is 20.
    assert text.count("+10.0") >= 2
    apart_ = query.replace("r=&s=1", "r=20&s=1")
    assert (
        "Seats 1 and 2 are in one team and must have the same score."
        in client.get(f"/leagues/club/what-if/?{apart_}").content.decode()
    )


def filled(scores: Sequence[object], sides: Sequence[object]) -> dict[str, Any]:
    """Return a sheet of the four as a browser sends it."""
    return sheet_fields(*zip(FOUR, scores, sides, strict=True), columns=("player", "score", "side"))


@pytest.mark.parametrize(
    ("scores", "sides", "said"),
    [
        ((3, "", 2, ""), (1, "", 2, 2), "Seat 2 has no team; give one to every seat or to none."),
        ((3, "", 2, ""), (1, 1, 1, 1), "All players are in one team; a game needs at least two."),
    ],
)
def test_the_pad_says_what_is_wrong_with_the_sides_before_it_misses_scores(
    olga: Client, scores: Sequence[object], sides: Sequence[object], said: str
) -> None:
    make_league("elo", FOUR)
    text = olga.post("/admin/leagues/club/record/", filled(scores, sides)).content.decode()
    assert said in text
    assert "needs a score for every seat" not in text


def test_a_game_that_is_voided_or_restored_is_shown_with_its_sides_and_weight(olga: Client) -> None:
    league = make_league("elo", FOUR)
    record(league, doubles(sides=(1, 2, 1, 2), scores=(21, 15, 21, 15), weight=2.5))
    record(league, alone(("anna", "ben"), (1, 0), minutes=1))
    pages = [" ".join(olga.post("/admin/leagues/club/games/1/void/").content.decode().split())]
    void_game(league.pk, 1, reason="typed twice", username="olga")
    pages.append(" ".join(olga.post("/admin/leagues/club/games/1/restore/").content.decode().split()))
    for page in pages:
        assert "<dt>Teams</dt><dd>Anna &amp; Cleo – Ben &amp; Dan</dd>" in page
        assert "<dt>Weight</dt><dd>2.5</dd>" in page
    plain = olga.post("/admin/leagues/club/games/2/void/").content.decode()
    assert "<dt>Teams</dt>" not in plain
    assert "<dt>Weight</dt>" not in plain


def test_an_explanation_says_what_the_first_seat_has_in_advance(client: Client) -> None:
    league = make_league("elo", FOUR, parameters={"first_seat": 50})
    record(league, doubles())
    page = client.get("/leagues/club/games/1/").content.decode()
    # 50 points ahead: 1 / (1 + 10^(-50/400)) = 0.5715.
    assert "With 50 points for the team of the first seat and a rating of 1500.0, " in page
    assert "was expected to score 57.1% of the points" in page
    assert "Cleo was expected to score 42.9% of the points, and scored 0%: " in page


@pytest.mark.parametrize("system", ["weng_lin", "trueskill"])
def test_systems_that_add_up_a_side_say_so(client: Client, system: str) -> None:
    record(make_league(system, FOUR), doubles())
    page = client.get("/leagues/club/games/1/").content.decode()
    # Two newcomers of 25 each.
    assert page.count("50.0 is the team&#x27;s value: Sum of the means of this team.") == 4


def test_what_if_says_that_ties_of_more_than_two_sides_are_not_listed(client: Client) -> None:
    six = (*FOUR, "eva", "finn")
    league = make_league("elo", six)
    record(league, doubles(six, (9,) * 6, (1, 1, 2, 2, 3, 3)))
    sentence = "Outcomes with ties are possible but not listed."
    query = "&".join(f"p={name}&r=&s={side}" for name, side in zip(six, (1, 1, 2, 2, 3, 3), strict=True))
    page = client.get(f"/leagues/club/what-if/?{query}").content.decode()
    assert "6 outcomes are possible." in page
    assert sentence in page
    assert "for up to 4 teams. A single player counts as a team" in page
    two = client.get("/leagues/club/what-if/?p=anna&p=ben&p=cleo&p=dan&s=1&s=1&s=2&s=2").content.decode()
    assert "3 outcomes are possible." in two
    assert sentence not in two
