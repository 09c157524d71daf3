"""Merges and roles in the API and on the admin site."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from league.models import Ladder, League, Membership, Merge, Player, Token
from league.services.accounts.members import set_member
from league.services.ladders.ladders import Ranking, create_ladder
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, ratings, record, sheet
from tests.helpers.ladder_builders import close, duel, make_ladder, tables

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.slow("Classic admin pages; the desk's tests hold their services."),
]


def club() -> League:
    """Return a league in which Anna and Ben are one person, with a closed period."""
    league = make_league(parameters={"k": 20})
    make_ladder(league)
    record(league, duel("anna", "cleo", "2024-03-05"))
    record(league, duel("ben", "dan", "2024-03-06"))
    close(league, "2024-03")
    return league


def member(client: Client, league: League, role: str, name: str = "olga") -> None:
    """Sign somebody in who has a role and may enter the admin site."""
    user = User.objects.create_user(name, is_staff=True)
    set_member(league.pk, name, role)
    client.force_login(user)


def test_a_merge_by_the_api_its_dry_run_and_its_way_back() -> None:
    league = club()
    api = Api("organise")
    before = tables()
    diff = api.post("players/anna/merge/?dry_run=true", {"into": "ben"}).data["leagues"]
    assert {**tables(), "Token": []} == {**before, "Token": []}
    assert [(one["league"], one["games_replayed"], one["closed_periods"]) for one in diff] == [
        ("club", 2, [{"ladder": "month", "period": "2024-03"}])
    ]
    assert (diff[0]["ratings"][0]["player"], diff[0]["ratings"][0]["after"]) == ("anna", None)
    done = api.post("players/ANNA/merge/", {"into": "Ben"})
    assert (done.status_code, done.data["player"], done.data["into"], done.data["by"]) == (
        200,
        "anna",
        "ben",
        "server-7",
    )
    assert {one["player"]: one["after"] for one in diff[0]["ratings"] if one["after"] is not None}.items() <= (
        ratings(league).items()
    )
    survivor = api.get("players/anna/").data
    assert (survivor["handle"], survivor["aliases"]) == ("ben", ["anna"])
    assert api.get("leagues/club/players/anna/").data["games"] == 2
    assert [one["handle"] for one in api.get("players/").data["results"]] == ["ben", "cleo", "dan"]
    assert len(api.get("leagues/club/decisions/").data["results"]) == 1
    # Who reads a player and sends the aliases back changes nothing.
    assert api.patch("players/ben/", {"aliases": survivor["aliases"]}).data["aliases"] == ["anna"]
    back = api.post("players/anna/unmerge/?dry_run=true", {}).data["leagues"]
    assert [one["games_replayed"] for one in back] == [2]
    undone = api.post("players/anna/unmerge/", {})
    assert (undone.status_code, undone.data["undone_by"]) == (200, "server-7")
    assert api.get("players/anna/").data["handle"] == "anna"
    assert api.get("leagues/club/decisions/").data["results"] == []


@pytest.mark.parametrize(
    ("path", "body", "status", "pointers"),
    [
        ("players/anna/merge/", {"into": "zoe"}, 422, ["/into"]),
        ("players/zoe/merge/", {"into": "anna"}, 404, []),
        ("players/anna/merge/", {"into": "anna"}, 400, ["/into"]),
        ("players/anna/merge/", {}, 400, ["/into"]),
        ("players/anna/merge/", {"into": "cleo"}, 422, ["/into"]),
        ("players/anna/unmerge/", {}, 409, []),
        ("players/anna/unmerge/", {"into": "ben"}, 400, ["/into"]),
        ("players/anna/merge/?dry=1", {"into": "ben"}, 400, ["?dry"]),
    ],
)
def test_the_api_refuses_with_pointers(path: str, body: dict[str, Any], status: int, pointers: list[str]) -> None:
    club()
    answer = Api("organise").post(path, body)
    assert answer.status_code == status
    assert [one["pointer"] for one in answer.data["errors"]] == pointers
    assert not Merge.objects.exists()


def test_the_admin_shows_what_a_merge_changes_before_it_is_done(client: Client) -> None:
    league = club()
    member(client, league, "organiser")
    anna = Player.objects.get(handle="anna")
    address = f"/admin/league/player/{anna.pk}/merge/"
    assert address in client.get(f"/admin/league/player/{anna.pk}/change/").content.decode()
    assert "Show what it would change" in client.get(address).content.decode()
    before = tables()
    page = client.post(address, {"into": "ben"}).content.decode()
    assert tables() == before
    assert "2 games would be rated anew" in page
    assert "March 2024 (closed)" in page
    assert 'name="_do"' in page
    refused = client.post(address, {"into": "cleo", "_do": "1"})
    assert "sit together in Club, game 1" in str(refused.context["form"].errors["into"])
    done = client.post(address, {"into": "ben", "_do": "1"}, follow=True).content.decode()
    assert "done in 1 league." in done
    assert "One closed period of Club now differs" in done
    assert ratings(league).keys() == {"ben", "cleo", "dan"}
    assert "Anna was merged into" in client.get(f"/admin/league/player/{anna.pk}/change/").content.decode()
    ben = anna.merges.get().into
    assert "Merged into Ben" in client.get(f"/admin/league/player/{ben.pk}/change/").content.decode()
    back = f"/admin/league/player/{anna.pk}/unmerge/"
    assert client.get(back).status_code == 200
    assert "2 games would be rated anew" in client.post(back, {"x": "1"}).content.decode()
    client.post(back, {"_do": "1"})
    assert ratings(league).keys() == {"anna", "ben", "cleo", "dan"}


def test_a_merge_of_players_without_games_concerns_no_league(client: Client) -> None:
    league = make_league()
    member(client, league, "organiser")
    dan = Player.objects.get(handle="dan")
    page = client.post(f"/admin/league/player/{dan.pk}/merge/", {"into": "cleo"}).content.decode()
    assert "No league is concerned" in page


def test_a_recorder_merges_nobody_and_decides_nothing_in_the_admin(client: Client) -> None:
    league = club()
    member(client, league, "recorder")
    anna, ladder, game = Player.objects.get(handle="anna"), league.ladders.get(), league.games.get(number=1)
    for path in (
        f"player/{anna.pk}/merge/", f"player/{anna.pk}/unmerge/", f"league/{league.pk}/rule/",
        f"league/{league.pk}/decisions/", f"league/{league.pk}/start/",
        f"league/{league.pk}/members/", f"ladder/{ladder.pk}/rule/", f"ladder/{ladder.pk}/periods/2024-03/",
        "ladder/add/", "league/add/", "token/add/",
    ):  # fmt: skip
        assert client.get(f"/admin/league/{path}").status_code == 403, path
    for path in (f"league/{league.pk}/change/", f"ladder/{ladder.pk}/change/"):  # to look at only
        assert b"ended_on" not in client.get(f"/admin/league/{path}", follow=True).content
        client.post(f"/admin/league/{path}", {"title": "Mine"})
    assert (League.objects.get().title, Ladder.objects.get().title) == ("Club", "Month")
    page = client.post(f"/admin/league/game/{game.pk}/void/", {"reason": "x"})
    assert "March 2024 of Month is closed; this needs the role “organiser”" in str(page.context["form"].errors)
    assert client.get("/admin/league/player/add/").status_code == 200
    assert client.get("/admin/").status_code == 200


def test_the_admin_shows_nothing_of_other_leagues(client: Client) -> None:
    league, secret = club(), make_league(slug="secret", visibility="private")
    game = record(secret, sheet(("anna", "ben"), (1, 0)))
    create_ladder(secret.pk, "hush", "Hush", Ranking("points", "month", {}, None, None), by="x")
    member(client, league, "owner")
    for path in ("game/", "league/", "ladder/", "edition/", "rating/", "ratingchange/", "game/add/", "ladder/add/",
                 "token/add/"):  # fmt: skip
        page = client.get(f"/admin/league/{path}")
        assert (page.status_code, "Secret" in page.content.decode()) == (200, False), path
    for path in (f"game/{game.pk}/void/", f"game/{game.pk}/change/", f"league/{secret.pk}/change/",
                 f"league/{secret.pk}/rule/", f"ladder/{secret.ladders.get().pk}/change/"):  # fmt: skip
        assert client.get(f"/admin/league/{path}").status_code == 404, path
    assert "in which league" in client.get("/admin/league/game/add/?league=secret").content.decode()


def test_an_organiser_reads_the_settings_and_an_owner_changes_them(client: Client) -> None:
    league = club()
    member(client, league, "organiser")
    address = f"/admin/league/league/{league.pk}/change/"
    page = client.get(address)
    assert "Who records and organises here" not in page.content.decode()
    sent = {name: field for name, field in page.context["form"].initial.items() if field is not None}
    assert client.post(address, {**sent, "title": "X"}).status_code == 403
    set_member(league.pk, "olga", "owner")
    assert "Who records and organises here" in client.get(address).content.decode()
    assert client.post(address, {**sent, "title": "X"}).status_code == 302
    league.refresh_from_db()
    assert league.title == "X"


def test_an_owner_takes_members_in_and_dismisses_them(client: Client) -> None:
    league = club()
    member(client, league, "owner")
    User.objects.create_user("rita")
    address = f"/admin/league/league/{league.pk}/members/"
    page = client.post(address, {"user": "rita", "role": "recorder"}, follow=True)
    assert page.redirect_chain, page.context["form"].errors
    told = page.content.decode()
    assert "Rita is recorder of Club now." in told
    assert (
        "Rita is no member of Club any more."
        in client.post(address, {"user": "rita", "role": ""}, follow=True).content.decode()
    )
    page = client.post(address, {"user": "olga", "role": ""})
    assert "is the last owner of Club" in str(page.context["form"].errors["role"])
    page = client.post(address, {"user": "zoe", "role": "owner"})
    assert "There is no user “zoe”" in str(page.context["form"].errors["user"])
    assert list(Membership.objects.values_list("user__username", "role")) == [("olga", "owner")]


def test_tokens_in_the_admin_are_their_makers(client: Client) -> None:
    league = club()
    member(client, league, "owner")
    client.post(
        "/admin/league/token/add/", {"name": "server-7", "scope": "record", "leagues": [league.pk]}, follow=True
    )
    token = Token.objects.get()
    assert token.maker == User.objects.get(username="olga")
    member(client, league, "owner", name="otto")
    assert "server-7" not in client.get("/admin/league/token/").content.decode()
    assert client.get(f"/admin/league/token/{token.pk}/change/").status_code == 404


def test_who_makes_a_league_in_the_admin_owns_it(client: Client) -> None:
    client.force_login(User.objects.create_superuser("sara"))
    address = "/admin/league/league/add/?system=elo"
    form = client.get(address).context["form"]
    sent = {name: form[name].value() for name in form.fields if form[name].value() is not None}
    page = client.post(address, {**sent, "title": "New", "slug": "new", "visibility": "public"})
    assert page.status_code == 302, page.context["form"].errors
    assert list(Membership.objects.values_list("league__slug", "user__username", "role")) == [("new", "sara", "owner")]
