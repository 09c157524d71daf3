"""Adjustments and seasons over the API: made, tried, read in the history, voided; who may; what past boards say."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from league.core.leaderboard.selectors.current_board import load_current_board
from league.core.leaderboard.selectors.movement import load_ranks_before
from league.core.leagues.services.leagues import adopt_rule
from league.core.players.selectors.person import serialize_person
from league.core.players.services.erase import erase_player
from league.core.rules.selectors.rules import load_rules
from league.core.verify.run import verify_league
from league.models import Adjustment, GamelessChange, League, Player, Token
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, ratings, record, sheet
from tests.helpers.shared import built_once

pytestmark = pytest.mark.django_db

AT = datetime(2024, 2, 1, 19, tzinfo=UTC)
SPRING = datetime(2024, 3, 1, tzinfo=UTC)
WON = {"results": [{"player": "anna", "score": 1}, {"player": "ben", "score": 0}]}


def build() -> None:
    """Make a league in which anna has beaten ben by K 20: 1510 and 1490; a season begins in March."""
    league = make_league(parameters={"k": 20})
    adopt_rule(league.pk, "elo", {"k": 20}, date(2024, 1, 1), {"days": ["03-01"], "pull": 0.5}, username="test")
    record(league, sheet(["anna", "ben"], [1, 0], played_at=AT))


built = built_once(build)


@pytest.fixture
def league(built: None, db: None) -> League:
    """Return the league."""
    return League.objects.get()


def asked(scope: str) -> Api:
    """Return a client with a token of its own."""
    return Api(scope, name=f"token {Token.objects.count()}")


def penalty(**more: Any) -> dict[str, Any]:
    """Return a body that takes 25 points from anna."""
    return {"player": "anna", "amount": -25, "reason": "Left the table.", "at": "2024-02-10T00:00:00Z", **more}


def test_points_are_taken_read_and_given_back(league: League) -> None:
    api = asked("organise")
    made = api.post("leagues/club/adjustments/", penalty())
    assert (made.status_code, made["Location"]) == (201, "http://testserver/api/v1/leagues/club/adjustments/1/")
    told = {name: made.data[name] for name in ("number", "player", "amount", "reason", "before", "after", "void", "at")}
    assert told == {
        "number": 1, "player": "anna", "amount": -25.0, "reason": "Left the table.", "before": 1510.0, "after": 1485.0,
        "void": False, "at": "2024-02-10T00:00:00Z",
    }  # fmt: skip
    assert Api().get("leagues/club/adjustments/1/").data == made.data
    assert Api().get("leagues/club/adjustments/").data == {"results": [made.data], "next": None, "total": 1}
    assert ratings(league) == {"anna": 1485.0, "ben": 1490.0}
    voided = api.post("leagues/club/adjustments/1/void/", {"reason": "They had told us."})
    assert voided.status_code == 200
    assert (voided.data["void"], voided.data["void_reason"], voided.data["after"]) == (True, "They had told us.", None)
    assert ratings(league) == {"anna": 1510.0, "ben": 1490.0}
    again = api.post("leagues/club/adjustments/1/void/", {"reason": "Twice."})
    assert (again.status_code, again.data["detail"]) == (409, "Adjustment 1 is already void.")
    assert api.get("leagues/club/adjustments/7/").status_code == 404
    assert api.post("leagues/club/adjustments/7/void/", {"reason": "None."}).status_code == 404


def test_a_dry_run_tells_what_would_move_and_moves_nothing(league: League) -> None:
    api = asked("organise")
    diff = api.post("leagues/club/adjustments/?dry_run=true", penalty())
    assert diff.status_code == 200
    assert [(one["player"], one["before"], one["after"]) for one in diff.data["ratings"]] == [("anna", 1510.0, 1485.0)]
    assert not Adjustment.objects.exists()
    api.post("leagues/club/adjustments/", penalty())
    diff = api.post("leagues/club/adjustments/1/void/?dry_run=true", {"reason": "Unjust."})
    assert [(one["player"], one["before"], one["after"]) for one in diff.data["ratings"]] == [("anna", 1485.0, 1510.0)]
    assert Adjustment.objects.get().voided_at is None


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"amount": 0}, "/amount", "not 0"),
    ({"amount": 20000}, "/amount", "less than or equal to 10000"),
    ({"amount": "5"}, "/amount", "must be a number."),
    ({"reason": ""}, "/reason", "blank"),
    ({"at": "2024-02-10"}, "/at", "offset"),
    ({"at": "2100-01-01T00:00:00Z"}, "/at", "is in the future"),
    ({"at": "1700-01-01T00:00:00Z"}, "/at", "No rule of the league was in force"),
    ({"player": "cleo"}, "/player", "Cleo has no rated game before that time"),
    ({"points": 5}, "/points", "there is no such field"),
]


def test_what_cannot_be_is_refused_at_its_field(league: League) -> None:
    api = asked("organise")
    for more, pointer, sentence in REFUSED:
        answer = api.post("leagues/club/adjustments/", penalty(**more))
        assert answer.status_code in (400, 422)
        assert [(one["pointer"], sentence in one["detail"]) for one in answer.data["errors"]] == [(pointer, True)]
    assert not Adjustment.objects.exists()


def test_the_history_tells_every_move_in_its_place(league: League) -> None:
    api = asked("organise")
    api.post("leagues/club/adjustments/", penalty())
    record(league, sheet(["ben", "cleo"], [1, 0], played_at=SPRING))
    record(league, sheet(["anna", "cleo"], [1, 1], played_at=datetime(2024, 3, 2, tzinfo=UTC)))
    lines = api.get("leagues/club/players/anna/history/").data["results"]
    assert [(one["cause"], one["game"], one["adjustment"], one["games"]) for one in lines] == [
        ("game", 1, None, 1), ("adjustment", None, 1, 1), ("season", None, None, 1), ("game", 3, None, 2),
    ]  # fmt: skip
    assert [one["before"] for one in lines[1:]] == [one["after"] for one in lines[:-1]]
    assert [one["after"] for one in lines[:3]] == [1510.0, 1485.0, 1492.5]
    assert lines[2]["state"] == {"rating": 1492.5}
    page = api.get("leagues/club/players/anna/history/?from=2024-02-05T00:00:00Z&to=2024-03-01T00:00:00Z").data
    assert [one["cause"] for one in page["results"]] == ["adjustment"]
    first = api.get("leagues/club/players/anna/history/?limit=2").data
    assert [one["cause"] for one in first["results"]] == ["game", "adjustment"]
    assert [one["cause"] for one in api.get(first["next"]).data["results"]] == ["season", "game"]
    table = api.get("leagues/club/players/anna/history/?format=csv").content.decode().splitlines()
    assert [line.split(",")[0] for line in table] == ["cause", "game", "adjustment", "season", "game"]
    assert [line.split(",")[-1] for line in table] == ["adjustment", "", "1", "", ""]


def test_a_rule_tells_its_seasons_and_one_without_tells_none(league: League) -> None:
    rules = Api().get("leagues/club/rules/").data["results"]
    assert "season" not in rules[0]
    assert rules[1]["season"] == {"days": ["03-01"], "pull": 0.5}
    body = {"from": "2024-06-01", "system": "elo", "season": {"days": ["12-01", "09-01"], "pull": 1}}
    assert asked("organise").post("leagues/club/rules/", body).data["season"] == {
        "days": ["09-01", "12-01"],
        "pull": 1.0,
    }
    wrong = asked("organise").post(
        "leagues/club/rules/", {**body, "from": "2024-07-01", "season": {"days": ["31-12"], "pull": 2}}
    )
    assert [one["pointer"] for one in wrong.data["errors"]] == ["/season/days/0", "/season/pull"]
    new = {"slug": "new", "title": "New", "rule": {"system": "elo", "season": {"days": ["02-30"], "pull": 1}}}
    wrong = asked("organise").post("leagues/", new)
    assert [one["pointer"] for one in wrong.data["errors"]] == ["/rule/season/days/0"]
    new["rule"] = {"system": "elo", "season": {"days": ["01-01"], "pull": 1}}
    assert asked("organise").post("leagues/", new).data["rule"]["season"] == {"days": ["01-01"], "pull": 1.0}


def test_what_if_begins_after_the_last_of_two_adjustments(league: League) -> None:
    # The one recorded first is of the later day, so that neither number nor key gives the order by chance.
    asked("organise").post("leagues/club/adjustments/", penalty(amount=7, at="2024-02-12T00:00:00Z"))
    asked("organise").post("leagues/club/adjustments/", penalty())
    asked("organise").post("leagues/club/adjustments/", penalty(amount=3))
    record(league, sheet(["ben", "cleo"], [1, 1], played_at=SPRING))
    assert [befores(f"2024-02-{day}T00:00:00Z")[0] for day in ("10", "12")] == [1488.0, 1495.0]


def befores(played_at: str) -> list[float]:
    """Return the ratings with which anna and ben would begin a game of a moment."""
    body = {"results": [{"player": "anna"}, {"player": "ben"}], "played_at": played_at}
    return [one["rating_before"] for one in asked("read").post("leagues/club/preview/", body).data["players"]]


def test_ranks_of_before_an_evening_know_what_moved(league: League) -> None:
    record(league, sheet(["cleo", "dan"], [1, 1], played_at=AT))
    asked("organise").post("leagues/club/adjustments/", penalty())
    league.refresh_from_db()
    board = load_current_board(league)
    at = datetime(2024, 2, 5, tzinfo=UTC)
    before = load_ranks_before(league, board, at, load_rules(league))
    assert before is not None
    ranks = {who.handle: before.rank_of(who.pk) for who in Player.objects.order_by("handle")}
    assert ranks == {"anna": 1, "ben": 4, "cleo": 2, "dan": 2}


def test_what_is_known_of_a_person_holds_their_adjustments_and_forgetting_takes_the_words(league: League) -> None:
    asked("organise").post("leagues/club/adjustments/", penalty(reason="Anna left the table."))
    (told,) = [one for one in serialize_person(Player.objects.get(handle="anna"))["leagues"] if one["league"] == "club"]
    assert [(one["amount"], one["reason"]) for one in told["adjustments"]] == [(-25.0, "Anna left the table.")]
    assert [one["after"] for one in told["moves"]] == [1485.0]
    erase_player(Player.objects.get(handle="anna"), username="olga")
    assert Adjustment.objects.get().reason == ""
    assert GamelessChange.objects.get().after == 1485.0
    assert verify_league(league.pk).differences == []
