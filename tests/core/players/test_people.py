"""Who may see a person: seen was that strangers listed private leagues' people, with their other spellings."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from league.core.accounts.services.members import set_member
from league.core.games.services.record import void_game
from league.core.players.services.merges import merge_players
from league.core.players.services.players import add_player, set_initial_rating
from league.models import League
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, player_of, record, sheet
from tests.helpers.people_builders import build_two_leagues, handles, outcome, session, token, two_leagues
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way, mark_slow

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]

built = built_once(build_two_leagues)

#: Who looks, and whom they see of anna (both leagues), ben (open), mata (closed), newcomer (in none).
SEERS: dict[str, tuple[Callable[[], Api], list[str]]] = {
    "a stranger": (Api, ["anna", "ben"]),
    "somebody without a role": (lambda: session("otto"), ["anna", "ben"]),
    "another league's recorder": (lambda: session("olga-recorder"), ["anna", "ben", "newcomer"]),
    "another league's owner": (lambda: session("olga-owner"), ["anna", "ben", "newcomer"]),
    "another league's reading token": (lambda: token("olga-owner", "read"), ["anna", "ben"]),
    "another league's recording token": (lambda: token("olga-owner", "record"), ["anna", "ben", "newcomer"]),
    "the league's recorder": (lambda: session("carl-recorder"), ["anna", "ben", "mata", "newcomer"]),
    "the league's reading token": (lambda: token("carl-owner", "read"), ["anna", "ben", "mata"]),
    "a token for the open league only": (
        lambda: token("carl-owner", "organise", (League.objects.get(slug="open"),)), ["anna", "ben"]
    ),
    "staff": (lambda: session("sara"), ["anna", "ben", "mata", "newcomer"]),
    "the site's reading token": (lambda: Api("read"), ["anna", "ben", "mata", "newcomer"]),
}  # fmt: skip
IN_QUICK = ("a stranger", "another league's owner", "the league's recorder", "a token for the open league only")
NAMES = mark_slow(SEERS, "Sees what one of the others sees.", but=IN_QUICK)


@pytest.mark.parametrize("name", NAMES)
def test_people_are_seen_by_those_who_may_read_a_league_of_theirs(name: str) -> None:
    face, seen = SEERS[name]
    api = face()
    assert handles(api) == seen
    for handle in ("anna", "ben", "mata", "newcomer"):
        expected = 200 if handle in seen else 404
        paths = [f"players/{handle}/", f"leagues/open/players/{handle}/", f"leagues/open/players/{handle}/history/",
                 f"leagues/open/games/?player={handle}"]  # fmt: skip
        assert [api.get(path).status_code for path in paths] == [expected] * 4
        # Only who is on the board can be looked around.
        around = api.get(f"leagues/open/leaderboard/?around={handle}").status_code
        assert around == (expected if handle in ("anna", "ben") or expected == 404 else 422)
        table = {"results": [{"player": "ben"}, {"player": handle}]}
        preview = api.post("leagues/open/preview/", table)
        assert preview.status_code == (200 if expected == 200 and handle != "ben" else 422), preview.content
        page = api.client.get(f"/leagues/open/players/{handle}/").status_code
        assert page == (expected if not api.headers else page)


@pytest.mark.parametrize(
    "spellings",
    [("mata", "H21"), pytest.param(("Mata%20Hari", "geertruida"), marks=pytest.mark.slow("Means the same one."))],
    ids=["handle and alias", "others"],
)
@pytest.mark.parametrize("name", NAMES)
def test_whom_somebody_may_not_see_is_changed_by_nobody_as_who_is_not_there(
    name: str, spellings: tuple[str, ...]
) -> None:
    """What reads is asked by test_private_people.py."""
    face, seen = SEERS[name]
    if "mata" in seen:
        return
    api = face()
    asked: list[tuple[str, str, Any]] = [
        ("patch", "players/{}/", {"name": "Margaretha"}),
        ("post", "players/{}/merge/", {"into": "anna"}),
        ("post", "players/{}/merge/?dry_run=true", {"into": "anna"}),
        ("post", "players/{}/unmerge/", {}),
        ("put", "leagues/open/players/{}/", {"initial_rating": 1200}),
        ("patch", "leagues/open/players/{}/", {"active": False}),
    ]
    for spelling in spellings:
        for method, path, body in asked:
            answers = [api.call(method, path.format(text), body) for text in (spelling, "nemo")]
            assert outcome(answers[0], spelling) == outcome(answers[1], "nemo")
    for body in ({"into": "mata"}, {"into": "H21"}):
        answers = [api.post("players/ben/merge/", one) for one in (body, {"into": "nemo"})]
        assert outcome(answers[0], body["into"]) == outcome(answers[1], "nemo")


def test_a_search_finds_nobody_of_a_private_league_for_others() -> None:
    strangers = (Api(), session("otto"), session("olga-owner"), token("olga-owner"))
    carl = session("carl-organiser")
    for text in ("mata", "Mata", "H21", "hari", "geer", "21"):
        assert [handles(api, f"?search={text}") for api in strangers] == [[]] * 4
        assert handles(carl, f"?search={text}") == ["mata"]


@long_way
def test_other_spellings_are_told_to_organisers_of_a_league_of_the_person() -> None:
    strangers = [Api(), session("otto"), session("olga-recorder"), token("olga-owner", "record")]
    organisers = [session("olga-organiser"), session("carl-organiser"), token("carl-owner"), session("sara")]
    for api in (*strangers, token("olga-owner", "read"), *organisers):
        told = ["Annie"] if api in organisers else []
        assert api.get("players/anna/").data["aliases"] == told
        assert next(one for one in api.get("players/").data["results"] if one["handle"] == "anna")["aliases"] == told
        assert handles(api, "?search=annie") == (["anna"] if told else [])
        assert (b"anna" in api.client.get("/leagues/open/?q=annie").content) == (bool(told) and not api.headers)


def test_another_spelling_leads_to_a_person_for_those_who_record_in_a_league_of_theirs() -> None:
    other = make_league(slug="other", players=())
    User.objects.create_user("rolf")
    set_member(other.pk, "rolf", "recorder")
    for api, status in ((Api(), 404), (session("otto"), 404), (session("rolf"), 404), (session("olga-recorder"), 200)):
        assert api.get("players/annie/").status_code == status
    assert session("rolf").get("players/NN/").data["aliases"] == [
        "NN"
    ]  # who has played nowhere is anybody's who records


def test_who_was_merged_is_found_by_those_who_may_read_a_league_of_their_games() -> None:
    opened, closed = two_leagues()
    add_player("spy")
    record(closed, sheet(("spy", "mata"), (1, 0), minutes=5))
    merge_players(player_of("spy"), player_of("ben"), username="sara")
    assert session("carl-recorder").get("players/spy/").data["handle"] == "ben"
    assert [Api().get(path).status_code for path in ("players/spy/", "players/ben/")] == [404, 200]
    record(opened, sheet(("spy", "anna"), (1, 0), minutes=9))
    assert Api().get("players/spy/").data["handle"] == "ben"


def test_void_unrated_and_waiting_games_and_starts_make_people_known_too(settings: Any) -> None:
    opened, _ = two_leagues()
    for handle in ("void", "bye", "start", "late"):
        add_player(handle)
    void_game(opened.pk, record(opened, sheet(("void", "ben"), (1, 0), minutes=5)).number, reason="x", username="olga")
    record(opened, sheet(("bye",), (1,), kind="full_bye", minutes=6))
    set_initial_rating(opened.pk, player_of("start"), 1200)
    assert handles(Api()) == ["anna", "ben", "bye", "start", "void"]
    settings.RUNGS_INLINE_GAMES = 0
    record(opened, sheet(("late", "ben"), (1, 0), minutes=-60))
    opened.refresh_from_db()
    assert opened.stale_from is not None
    assert handles(Api()) == ["anna", "ben", "bye", "late", "start", "void"]
