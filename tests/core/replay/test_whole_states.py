"""A system with a deviation beside its rating, dropped in as one file: every face shows the whole state.

The figures are held to another writing of the paper's algorithm, below.
"""

import csv
import json
import math
import re
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from io import BytesIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from league.core.games.services.record import correct_game, void_game
from league.core.locking import run_with_league_lock
from league.core.replay.services.inline import replay_from
from league.core.transfer.selectors.exports import export_lines
from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from league.models import League, Rating, RatingChange
from tests.helpers.api_client import Api, placed
from tests.helpers.builders import EVENING, derived, make_league, record, sheet
from tests.helpers.ladder_builders import make_ladder

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("dropped_weng_lin")]

State = tuple[float, float]
BETA, NEWCOMER, SURE = 25 / 6, (25.0, 25 / 3), 7.8


def plackett_luce(table: Sequence[State], places: Sequence[int]) -> list[State]:
    """Return the states after a game without ties, as Weng and Lin's algorithm 4 says it."""
    c = math.sqrt(sum(sigma**2 + BETA**2 for _, sigma in table))
    strength = [math.exp(mu / c) for mu, _ in table]
    after = []
    for i, (mu, sigma) in enumerate(table):
        gain, loss = 0.0, 0.0
        for q, place in enumerate(places):
            if place > places[i]:
                continue
            p = strength[i] / sum(one for one, other in zip(strength, places, strict=True) if other >= place)
            gain += (1.0 if q == i else 0.0) - p
            loss += p * (1.0 - p)
        factor = max(1.0 - sigma / c * sigma**2 / c**2 * loss, 0.0001)
        after.append((mu + sigma**2 / c * gain, sigma * math.sqrt(factor)))
    return after


def expected(games: Sequence[Sequence[str]]) -> dict[str, State]:
    """Return where everybody stands after games, each the players in finishing order."""
    states: dict[str, State] = {}
    for order in games:
        table = [states.get(player, NEWCOMER) for player in order]
        states |= dict(zip(order, plackett_luce(table, range(1, len(order) + 1)), strict=True))
    return states


GAMES = (("anna", "ben"), ("anna", "ben", "cleo"), ("ben", "anna"), ("anna", "cleo", "ben", "dan"))


def club(games: Sequence[Sequence[str]] = GAMES, **settings: Any) -> League:
    """Return a league with games, an evening of them."""
    league = make_league("dropped_weng_lin", **settings)
    for number, order in enumerate(games):
        record(league, sheet(order, places=range(1, len(order) + 1), minutes=number))
    league.refresh_from_db()
    return league


def close_to(state: State) -> Any:
    """Return what a state must be about."""
    return pytest.approx(dict(zip(("mu", "sigma"), state, strict=True)), rel=1e-12)


def words(answer: Any) -> str:
    """Return a page as one line."""
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def fewest_places(mean: float, doubt: float, score: float) -> int:
    """Return with how many decimals, two at least, the rounded mean and doubt make the rounded score."""
    places = 2
    while Decimal(f"{mean:.{places}f}") + Decimal(f"{doubt:.{places}f}") != Decimal(f"{score:.{places}f}"):
        places += 1
    return places


def cells(page: str, mean: float, places: int) -> list[str]:
    """Return the score, mean, doubt and deviation of a line of the board, as they end, by its mean."""
    (row,) = [row for row in page.split("<tr>") if f">{mean:.{places}f}</td>" in row]
    (score,) = re.findall(r'class="num score"><span title="[^"]*"(>[^<>]*</)span>', row)
    return [f"{score}td>", *re.findall(r'<td class="num opt soft(?: apart)?"[^>]*(>[^<>]*</td>)', row)[:3]]


def test_the_oracle_gives_what_everybody_prints() -> None:
    # Two newcomers, as the libraries of this system document it.
    (one, two) = plackett_luce([NEWCOMER, NEWCOMER], (1, 2))
    assert one == pytest.approx((27.63523138347365, 8.065506316323548), rel=1e-14)
    assert two == pytest.approx((22.36476861652635, 8.065506316323548), rel=1e-14)


def test_the_board_of_the_api_tells_the_whole_state_and_who_is_provisional() -> None:
    club()
    truth = expected(GAMES)
    for address in ("leagues/club/leaderboard/", "leagues/club/leaderboard/?around=ben&limit=9",
                    "leagues/club/leaderboard/?at=2024-03-06"):  # fmt: skip
        rows = {row["player"]: row for row in Api().get(address).data["results"]}
        assert set(rows) == set(truth)
        for player, (mu, sigma) in truth.items():
            assert list(rows[player]["state"]) == ["mu", "sigma"]
            assert rows[player]["state"] == close_to((mu, sigma))
            assert rows[player]["rating"] == rows[player]["state"]["mu"]
            assert rows[player]["score"] == pytest.approx(mu - 3 * sigma, abs=1e-12)
            assert rows[player]["provisional"] is (sigma >= SURE)
    assert {row["provisional"] for row in rows.values()} == {True, False}
    # A stranger gets the kept bytes, the owner of a token the view's: the same.
    assert Api("read").get("leagues/club/leaderboard/").content == Api().get("leagues/club/leaderboard/").content


def test_a_system_that_says_nothing_of_it_is_never_provisional() -> None:
    league = make_league(slug="plain")
    record(league, sheet(("anna", "ben"), (1, 0)))
    rows = Api().get("leagues/plain/leaderboard/").data["results"]
    assert [(row["state"], row["provisional"]) for row in rows] == [
        ({"rating": 1510.0}, False),
        ({"rating": 1490.0}, False),
    ]
    assert Api().get("leagues/plain/players/anna/").data["state"] == {"rating": 1510.0}
    (line,) = Api().get("leagues/plain/players/anna/history/").data["results"]
    assert (line["state"], line["provisional"]) == ({"rating": 1510.0}, False)


def test_a_player_of_the_api_tells_the_whole_state_before_the_first_game_too() -> None:
    club()
    truth = expected(GAMES)
    card = Api().get("leagues/club/players/anna/").data
    assert card["state"] == close_to(truth["anna"])
    assert (card["rating"], card["provisional"]) == (card["state"]["mu"], truth["anna"][1] >= SURE)
    Api("record").post("players/", {"handle": "eva"})
    reader = Api("read", name="reader")
    fresh = reader.get("leagues/club/players/eva/").data
    assert (fresh["rating"], fresh["state"], fresh["provisional"]) == (25.0, {"mu": 25.0, "sigma": 25 / 3}, True)
    make_league(slug="bare")
    League.objects.get(slug="bare").rules.all().delete()
    bare = reader.get("leagues/bare/players/eva/").data
    assert (bare["rating"], bare["state"], bare["provisional"]) == (None, {}, False)


def test_the_history_tells_the_state_after_each_change() -> None:
    club()
    lines = Api().get("leagues/club/players/ben/history/").data["results"]
    assert len(lines) == 4
    for number, line in enumerate(lines, start=1):
        state = expected(GAMES[:number])["ben"]
        assert line["state"] == close_to(state)
        assert (line["after"], line["provisional"]) == (line["state"]["mu"], state[1] >= SURE)
    assert [line["provisional"] for line in lines] == [True, True, False, False]


def test_a_rule_says_from_its_day_on_who_is_provisional() -> None:
    league = club()
    rule = {"system": "dropped_weng_lin", "from": "2024-03-06", "parameters": {"sure": 1.0}}
    api = Api("organise")
    dry = api.post("leagues/club/rules/?dry_run=true", rule)
    assert (dry.status_code, dry.data["ratings"]) == (200, [])
    assert api.post("leagues/club/rules/", rule).status_code == 201
    # The board is shown by the rule of the last rated game, as its scores are.
    assert not all(row["provisional"] for row in api.get("leagues/club/leaderboard/").data["results"])
    record(league, sheet(("anna", "ben"), places=(1, 2), played_at=EVENING + timedelta(days=2)))
    assert all(row["provisional"] for row in api.get("leagues/club/leaderboard/").data["results"])
    assert api.get("leagues/club/players/cleo/").data["provisional"] is True
    lines = api.get("leagues/club/players/ben/history/").data["results"]
    assert [line["provisional"] for line in lines] == [True, True, False, False, True]


def test_pages_show_every_field_with_the_names_that_the_system_gives(client: Client) -> None:
    club()
    truth = expected(GAMES)
    board = words(client.get("/leagues/club/"))
    for label in ("Mean", "Deviation", "Doubt"):
        assert f">{label}</th>" in board
    assert "Penalty for few games" not in board
    for mu, sigma in truth.values():
        score, doubt = mu - 3 * sigma, -3 * sigma
        places = fewest_places(mu, doubt, score)
        shown = (
            f">{'≈ ' if sigma >= SURE else ''}{score:.{places}f}</td>",
            f">{mu:.{places}f}</td>",
            f">{doubt:.{places}f}</td>",
            f">{sigma:.3f}</td>",
        )
        assert cells(board, mu, places) == [one.replace("-", "\u2212") for one in shown]
    assert board.count('class="prov">provisional') == sum(sigma >= SURE for _, sigma in truth.values())
    past = words(client.get("/leagues/club/?at=2024-03-06"))
    found = words(client.get("/leagues/club/?q=ann"))
    for page in (past, found):
        assert f">{truth['anna'][1]:.3f}</td>" in page
    player = words(client.get("/leagues/club/players/ben/"))
    for number in range(1, 5):
        mu, sigma = expected(GAMES[:number])["ben"]
        assert f">{mu:.2f}</span>" in player
        assert f">{sigma:.3f}</span>" in player
    assert "This rating is provisional" not in player
    assert "This rating is provisional" in words(client.get("/leagues/club/players/dan/"))
    game = words(client.get("/leagues/club/games/2/"))
    before, after = expected(GAMES[:1])["anna"], expected(GAMES[:2])["anna"]
    assert "Deviation before" in game
    assert f">{before[1]:.3f}</td>" in game
    assert f">{after[1]:.3f}</td>" in game
    for address in ("/", "/leagues/club/games/", "/leagues/club/how/", "/systems/dropped_weng_lin/", "/status/"):
        words(client.get(address))
    assert "σ 3.882" in words(client.get("/systems/dropped_weng_lin/"))


def test_the_desk_lists_the_whole_state_by_the_names_that_the_system_gives(client: Client) -> None:
    club()
    record(make_league("elo", ("eva", "finn"), slug="elo"), sheet(("eva", "finn"), (1, 0)))
    client.force_login(User.objects.create_superuser("sara"))
    truth = expected(GAMES)
    for address, model in (("/admin/league/rating/", Rating), ("/admin/league/ratingchange/", RatingChange)):
        listed = words(client.get(address))
        for mu, sigma in truth.values():
            assert f'<td class="field-state">Mean {mu:.2f}, Deviation {sigma:.3f}</td>' in listed
        assert '<td class="field-state">Rating 1510.0</td>' in listed
        row = model.objects.filter(player__handle="anna").order_by("-pk").first()
        assert row is not None
        page = words(client.get(f"{address}{row.pk}/change/"))
        mu, sigma = truth["anna"]
        assert f"Mean {mu:.2f}, Deviation {sigma:.3f}" in page
        assert "State 1" not in page
    assert words(client.get("/admin/league/ratingchange/")).count('class="field-state">') == sum(map(len, GAMES)) + 2


def test_a_change_is_explained_with_the_whole_state() -> None:
    club()
    answer = Api().get("leagues/club/games/4/explanation/")
    assert answer.status_code == 200
    before, after = expected(GAMES[:3]), expected(GAMES)
    for seat in answer.data["players"]:
        assert seat["before"] == close_to(before.get(seat["player"], NEWCOMER))
        assert seat["after"] == close_to(after[seat["player"]])
        assert (seat["rating_before"], seat["rating_after"]) == (seat["before"]["mu"], seat["after"]["mu"])
        assert sum(part["value"] for part in seat["parts"]) == seat["change"]


def test_a_preview_tells_every_outcome_with_the_whole_state() -> None:
    club()
    stood = expected(GAMES)
    body = {"results": [{"player": "anna"}, {"player": "ben"}]}
    answer = Api().post("leagues/club/preview/", body)
    assert answer.status_code == 200
    assert [player["before"] for player in answer.data["players"]] == [close_to(stood["anna"]), close_to(stood["ben"])]
    win, draw, loss = answer.data["outcomes"]
    for outcome, places in ((win, (1, 2)), (loss, (2, 1))):
        after = plackett_luce([stood["anna"], stood["ben"]], places)
        assert [player["after"] for player in outcome["players"]] == [close_to(state) for state in after]
        assert [player["rating_after"] for player in outcome["players"]] == [
            player["after"]["mu"] for player in outcome["players"]
        ]
    assert draw["players"][0]["after"]["sigma"] < stood["anna"][1]
    past = Api().post("leagues/club/preview/", {**body, "played_at": "2024-03-05T19:30:30Z"})
    then = expected(GAMES[:1])
    assert past.data["players"][0]["before"] == close_to(then["anna"])


def test_a_dry_run_tells_what_the_correction_then_does() -> None:
    league = club()
    api = Api("organise")
    body = {**placed("ben", "anna"), "played_at": "2024-03-05T19:30:00Z", "reason": "Swapped."}
    dry = api.post("leagues/club/games/1/correct/?dry_run=true", body)
    assert dry.status_code == 200
    told = {line["player"]: line["after"] for line in dry.data["ratings"]}
    assert derived(league) == derived(League.objects.get())
    assert api.post("leagues/club/games/1/correct/", body).status_code in (200, 201)
    swapped = expected((("ben", "anna"), *GAMES[1:]))
    assert told == pytest.approx({player: swapped[player][0] for player in told}, rel=1e-12)
    rows = api.get("leagues/club/leaderboard/").data["results"]
    assert {row["player"]: row["state"] for row in rows} == {player: close_to(swapped[player]) for player in swapped}
    void = api.post("leagues/club/games/2/void/?dry_run=true", {"reason": "A friendly."})
    assert void.status_code == 200


def test_corrections_voids_late_games_and_replays_end_in_the_same_bits() -> None:
    league = club()
    correct_game(league.pk, 1, sheet(("ben", "anna"), places=(1, 2)), reason="Swapped.", username="olga")
    void_game(league.pk, 3, reason="A friendly.", username="olga")
    record(league, sheet(("dan", "anna"), places=(1, 2), minutes=-5))
    truth = expected((("dan", "anna"), ("ben", "anna"), GAMES[1], GAMES[3]))
    stood = derived(league)
    found = dict(Rating.objects.values_list("player__handle", "state_1"))
    assert found == pytest.approx({player: sigma for player, (_, sigma) in truth.items()}, rel=1e-12)
    assert verify_league(league.pk).differences == []
    run_with_league_lock(league.pk, lambda locked, now: replay_from(locked, None, compiled=False))
    assert derived(league) == stood
    run_with_league_lock(league.pk, lambda locked, now: replay_from(locked, None, compiled=True))
    assert derived(league) == stood


def test_imports_exports_and_restores_keep_the_whole_state() -> None:
    league = club()
    api = Api("organise")
    games: Any = api.client.get("/api/v1/leagues/club/export/?format=csv", headers=api.headers)
    text = b"".join(games.streaming_content).decode() if games.streaming else games.content.decode()
    assert len(list(csv.DictReader(text.splitlines()))) == sum(map(len, GAMES))
    make_league("dropped_weng_lin", slug="copy")
    done = api.post_file("leagues/copy/games/import/", text, "text/csv")
    assert done.status_code in (200, 201)
    copy = League.objects.get(slug="copy")
    assert [line[-6:] for line in derived(copy)[0]] == [line[-6:] for line in derived(league)[0]]
    lines = "".join(f"{line}\n" for line in export_lines(league.pk, timezone.now(), aliases=True))
    assert json.loads(lines.splitlines()[2])["parameters"]["initial_sigma"] == 25 / 3
    again = restore_league(BytesIO(lines.encode()), slug="again", by="operator").league
    assert derived(again) == derived(league)
    assert verify_league(again.pk).differences == []


def test_ladders_of_such_a_league_stand(client: Client) -> None:
    league = club()
    make_ladder(league, "points", "points")
    make_ladder(league, "strength", "rating_score", "quarter", rounding="none")
    for address in ("ladders/", "ladders/points/2024-03/", "ladders/strength/2024-Q1/"):
        words(client.get(f"/leagues/club/{address}"))
    rows = Api().get("leagues/club/ladders/strength/periods/2024-Q1/").data["standings"]
    rating = {row["player"]: row["columns"]["rating"] for row in rows}
    assert rating == pytest.approx({player: mu for player, (mu, _) in expected(GAMES).items()}, rel=1e-12)
    assert verify_league(league.pk).differences == []


def test_a_later_rule_may_not_let_newcomers_start_with_another_deviation() -> None:
    club()
    rule = {"system": "dropped_weng_lin", "from": "2024-03-06", "parameters": {"initial_sigma": 5.0}}
    answer = Api("organise").post("leagues/club/rules/", rule)
    assert answer.status_code == 422
    (error,) = answer.data["errors"]
    assert error["pointer"] == "/parameters/initial_sigma"
    assert "at Mean 25, Deviation 8.33333333333333 under another rule with the same system" in error["detail"]
    assert "so this rule cannot use Mean 25, Deviation 5." in error["detail"]


def test_the_api_describes_the_system() -> None:
    told = Api().get("systems/dropped_weng_lin/").data
    assert [field["key"] for field in told["state"]] == ["mu", "sigma"]
    assert told["score"] == {"label": "Score", "help": "The mean less three deviations.", "difference": "Doubt"}
    assert "dropped_weng_lin" in [one["key"] for one in Api().get("systems/").data["results"]]
