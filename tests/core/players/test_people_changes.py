"""Who may change a person, and where one is inactive.

Seen was that the owner of one league made somebody inactive in another's, and that a recorder renamed somebody who
plays in none of theirs.
"""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from league.core.accounts.services.members import set_member
from league.core.players.services.merges import merge_players
from league.core.players.services.players import add_player, set_active
from league.core.verify.run import verify_league
from league.models import Inactive, League, LogEntry
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, player_of, record, said, sheet
from tests.helpers.people_builders import build_two_leagues, desk, session, token, two_leagues
from tests.helpers.shared import built_once
from tests.helpers.tiers import mark_rows_slow

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]


def build() -> None:
    """Make two leagues with people of one and of both, and somebody with a role in both."""
    leagues = build_two_leagues()
    for handle, league, other in (("dora", leagues[0], "ben"), ("spy", leagues[1], "mata")):
        add_player(handle)
        record(league, sheet((handle, other), (1, 0), minutes=5))
    for role in ("recorder", "organiser"):
        User.objects.create_user(role)
        for league in leagues:
            set_member(league.pk, role, role)


built = built_once(build)


#: A quick test of a token that merges: test_nobody_gives_a_spelling_to_somebody_elses_player_by_merging_a_newcomer_….
BY_TOKEN = pytest.mark.slow("May do what the session of its maker may.")
CHANGERS = [
    ("olga-recorder", "anna", 403), ("olga-owner", "anna", 403), ("carl-owner", "anna", 403), ("sara", "anna", 200),
    ("recorder", "anna", 200), ("olga-recorder", "ben", 200), ("olga-owner", "mata", 404),
    ("carl-recorder", "mata", 200), ("carl-recorder", "ben", 403), ("olga-recorder", "newcomer", 200),
    ("carl-owner", "newcomer", 200), ("otto", "ben", 403),
]  # fmt: skip


@pytest.mark.parametrize(
    "face",
    [
        session,
        pytest.param(token, marks=BY_TOKEN),
        lambda name: token(name, "record"),
    ],
    ids=["session", "token", "record"],
)
@pytest.mark.parametrize(("name", "handle", "status"), CHANGERS)
def test_changing_a_person_takes_the_role_in_every_league_of_theirs(
    name: str, handle: str, status: int, face: Callable[[str], Api]
) -> None:
    before = player_of(handle).name
    entries = LogEntry.objects.count()
    answer = face(name).patch(f"players/{handle}/", {"name": "Renamed", "active": False})
    assert answer.status_code == status
    assert player_of(handle).name == ("Renamed" if status == 200 else before)
    assert Inactive.objects.exists() == (status == 200 and handle != "newcomer")
    assert (LogEntry.objects.count() == entries) == (status != 200 or handle == "newcomer")
    assert token(name, "read").patch(f"players/{handle}/", {"name": "x"}).status_code == 403
    assert Api().patch(f"players/{handle}/", {"name": "x"}).status_code == 401


def test_a_refused_change_names_no_private_league() -> None:
    sentence = "This also changes another league, of which “olga-owner” is not a recorder."
    answer = session("olga-owner").patch("players/anna/", {"name": "x"})
    assert answer.data["detail"] == sentence
    sentence = "This also changes the league open, of which “carl-owner” is not a recorder."
    assert session("carl-owner").patch("players/anna/", {"name": "x"}).data["detail"] == sentence


def test_other_spellings_are_changed_by_organisers_of_every_league_of_the_person() -> None:
    assert session("olga-recorder").patch("players/ben/", {"aliases": ["B"]}).status_code == 403
    assert session("olga-organiser").patch("players/ben/", {"aliases": ["B"]}).data["aliases"] == ["B"]
    assert session("olga-recorder").patch("players/newcomer/", {"aliases": ["N"]}).data["aliases"] == ["N"]


def test_a_taken_spelling_does_not_say_by_whom_to_those_who_may_not_see_them() -> None:
    for spelling in ("mata", "H21"):
        for method, path, body in (
            ("post", "players/", {"handle": spelling}),
            ("post", "players/", {"handle": "xy", "aliases": [spelling]}),
            ("patch", "players/ben/", {"aliases": [spelling]}),
        ):
            answer = session("olga-owner").call(method, path, body)
            assert (answer.status_code, answer.data["detail"]) == (409, f"“{spelling}” is taken.")
        sentence = f"“{spelling}” already means Mata Hari (mata)."
        assert session("carl-owner").post("players/", {"handle": spelling}).data["detail"] == sentence


# Inactive is per league


def test_a_player_is_inactive_in_one_league_and_active_in_the_other() -> None:
    opened, closed = two_leagues()
    api = session("olga-recorder")
    answer = api.patch("leagues/open/players/anna/", {"active": False})
    assert (answer.status_code, answer.data["active"], answer.data["rank"]) == (200, False, None)
    assert answer.data["unlisted"] == "The player is marked as inactive."
    assert [row["player"] for row in Api().get("leagues/open/leaderboard/").data["results"]] == ["dora", "ben"]
    carl = session("carl-recorder")
    assert [row["player"] for row in carl.get("leagues/closed/leaderboard/").data["results"]] == ["spy", "mata", "anna"]
    assert carl.get("leagues/closed/players/anna/").data["active"] is True
    # Who sees the other league sees that the player is still there somewhere; a stranger sees the open league only.
    assert carl.get("players/anna/").data["active"] is True
    assert Api().get("players/anna/").data["active"] is False
    changes = LogEntry.objects.filter(kind="player.changed").order_by("pk")
    told = [(entry.league_id, entry.by, said(entry)) for entry in changes][-1:]
    assert told == [(opened.pk, "olga-recorder", {"active": False, "given": ["active"], "player": "anna"})]
    closed.refresh_from_db()
    assert api.put("leagues/open/players/anna/", {"active": True}).data["active"] is True
    assert Api().get("players/anna/").data["active"] is True
    length = opened.log_length
    assert api.put("leagues/open/players/anna/", {"active": True}).status_code == 200
    assert opened.log_length == length


def test_the_site_wide_word_makes_a_player_inactive_wherever_they_played() -> None:
    api = session("sara")
    assert api.patch("players/anna/", {"active": False}).data["active"] is False
    assert sorted(Inactive.objects.values_list("league__slug", flat=True)) == ["closed", "open"]
    # Somebody who plays in a further league is active there.
    record(make_league(slug="third", players=("zoe",)), sheet(("anna", "zoe"), (1, 0)))
    assert Api().get("players/anna/").data["active"] is True
    assert Api().get("leagues/third/players/anna/").data["active"] is True
    assert api.patch("players/anna/", {"active": True}).data["active"] is True
    assert not Inactive.objects.exists()


def test_who_has_played_nowhere_is_inactive_by_their_own_row() -> None:
    api = session("olga-recorder")
    assert api.patch("players/newcomer/", {"active": False}).data["active"] is False
    assert api.get("players/newcomer/").data["active"] is False
    refused = api.patch("leagues/open/players/newcomer/", {"active": False})
    assert (refused.status_code, refused.data["errors"][0]["pointer"]) == (422, "/active")


def test_a_body_that_says_nothing_of_a_leagues_player_is_refused() -> None:
    assert session("olga-owner").patch("leagues/open/players/anna/", {}).status_code == 400
    assert session("olga-recorder").put("leagues/open/players/anna/", {"initial_rating": 1200}).status_code == 403
    both = session("olga-organiser").put("leagues/open/players/anna/", {"initial_rating": 1200, "active": False})
    assert (both.status_code, both.data["active"]) == (200, False)


def test_answers_about_people_are_kept_by_nobody_but_strangers() -> None:
    paths = ("players/", "players/anna/", "leagues/open/players/anna/", "leagues/open/players/anna/history/",
             "leagues/open/games/?player=anna", "leagues/open/leaderboard/?around=anna")  # fmt: skip
    for path in paths:
        assert Api().get(path)["Cache-Control"].startswith("public")
        assert session("otto").get(path)["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize(
    ("act", "found"),
    [
        (lambda league: None, []),
        (lambda league: Inactive.objects.all().delete(), ["anna"]),
        (lambda league: Inactive.objects.create(league=league, player=player_of("ben")), ["ben"]),
    ],
)
def test_verify_holds_who_is_inactive_to_the_log(act: Callable[[League], Any], found: list[str]) -> None:
    opened, _ = two_leagues()
    for handle, active in (("anna", False), ("ben", False), ("ben", True)):
        set_active(opened.pk, player_of(handle), active, username="olga")
    act(opened)
    told = verify_league(opened.pk).differences
    assert [sentence.split()[3] for sentence in told] == found, told


def test_nobody_gives_a_spelling_to_somebody_elses_player_by_merging_a_newcomer_into_them() -> None:
    carl = token("carl-owner")
    made = carl.post("players/", {"handle": "zed", "aliases": ["Bennie the Great"]})
    assert made.status_code == 201
    refused = carl.post("players/zed/merge/", {"into": "ben"})
    assert refused.status_code == 403
    assert player_of("zed").merged_into is None
    assert token("sara").post("players/zed/merge/", {"into": "ben"}).status_code == 200


#: Who merges whom into whom: anna plays in both leagues, ben and dora in the open one, mata and spy in the private one.
MERGERS = [
    ("olga-organiser", "dora", "anna", 403), ("olga-owner", "dora", "anna", 403), ("carl-owner", "spy", "anna", 403),
    ("olga-organiser", "newcomer", "anna", 403), ("carl-owner", "newcomer", "anna", 403),
    ("olga-owner", "anna", "dora", 403),
    ("olga-organiser", "newcomer", "ben", 200), ("carl-organiser", "newcomer", "mata", 200),
    ("olga-recorder", "newcomer", "ben", 403), ("otto", "dora", "anna", 403), ("otto", "newcomer", "ben", 403),
    ("recorder", "dora", "anna", 403), ("organiser", "dora", "anna", 200), ("organiser", "spy", "dora", 200),
    ("sara", "dora", "anna", 200), ("olga-owner", "dora", "mata", 422), ("olga-owner", "mata", "dora", 404),
]  # fmt: skip
SOME_MERGERS = mark_rows_slow(MERGERS, "The same rule for somebody else.", every=3)


@pytest.mark.parametrize("face", [session, pytest.param(token, marks=BY_TOKEN)], ids=["session", "token"])
@pytest.mark.parametrize(("name", "handle", "into", "status"), SOME_MERGERS)
def test_merging_takes_the_organiser_of_every_league_of_both(
    name: str, handle: str, into: str, status: int, face: Callable[[str], Api]
) -> None:
    api = face(name)
    entries = LogEntry.objects.count()
    for question in ("?dry_run=true", ""):
        answer = api.post(f"players/{handle}/merge/{question}", {"into": into})
        assert answer.status_code == status, answer.content
        assert "closed" not in answer.content.decode() or name in ("organiser", "sara") or name.startswith("carl")
    assert (player_of(handle).merged_into is not None) == (status == 200)
    assert status == 200 or LogEntry.objects.count() == entries
    assert token(name, "record").post(f"players/{handle}/merge/", {"into": into}).status_code == 403
    assert Api().post(f"players/{handle}/merge/", {"into": into}).status_code == 401


@pytest.mark.parametrize(("name", "handle", "into", "status"), SOME_MERGERS)
def test_the_desk_merges_for_the_same_people(name: str, handle: str, into: str, status: int) -> None:
    league = "closed" if handle in ("mata", "spy") or name.startswith("carl") else "open"
    page = desk(name).post(f"/admin/leagues/{league}/people/players/{handle}/merge/", {"into": into, "_commit": "1"})
    assert (player_of(handle).merged_into is not None) == (status == 200), page.content
    assert status == 200 or name.startswith("carl") or "Mata" not in page.content.decode()


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize(
    ("name", "status"),
    [("olga-owner", 403), ("carl-owner", 403), ("recorder", 403), ("otto", 403), ("organiser", 200), ("sara", 200)],
)
def test_taking_a_merge_back_takes_what_merging_took(name: str, status: int) -> None:
    merge_players(player_of("dora"), player_of("anna"), username="sara")
    for question in ("?dry_run=true", ""):
        answer = session(name).post(f"players/dora/unmerge/{question}", {})
        assert answer.status_code == status, answer.content
    assert (player_of("dora").merged_into is None) == (status == 200)
    desk(name).post("/admin/leagues/open/people/players/dora/unmerge/", {"_commit": "1"})
    assert (player_of("dora").merged_into is None) == (status == 200)
