"""Django's admin lists the records as they are: to look at, by whoever may read them, and never to write."""

from typing import Any

import pytest
from django.contrib.admin import site
from django.contrib.auth.models import User
from django.test import Client

from league.core.accounts.services.tokens import make_token
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.models import Edition, Game, League, LogEntry, Rating, Token
from league.web.organiser.raw_records import RawAdmin
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import browser_of
from tests.helpers.ladder_builders import tables
from tests.helpers.roles import build_club
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]

built = built_once(build_club)

RAW: dict[str, Any] = {
    str(model._meta.model_name): model for model, one in site._registry.items() if isinstance(one, RawAdmin)
}


def address_of(row: Any) -> str:
    """Return the address of a record, without what is done with it."""
    return f"/admin/league/{row._meta.model_name}/{row.pk}/"


def test_every_record_is_looked_at_and_never_written() -> None:
    sara = browser_of("sara")
    make_token("server", "read")
    assert len(RAW) == 10
    for name, model in RAW.items():
        row = model.objects.first()
        before = tables()
        listed = sara.get(f"/admin/league/{name}/")
        assert (listed.status_code, f"/admin/league/{name}/add/" in listed.content.decode()) == (200, False), name
        assert 'name="action"' not in listed.content.decode()
        assert sara.get(f"/admin/league/{name}/?q=a%00b").status_code == 200
        page = sara.get(f"{address_of(row)}change/").content.decode()
        assert ('name="_save"' in page, "deletelink" in page) == (False, False)
        for path in (f"/admin/league/{name}/add/", f"{address_of(row)}change/", f"{address_of(row)}delete/"):
            assert sara.post(path, {"post": "yes", "title": "x"}).status_code == 403, path
        assert sara.get(f"/admin/league/{name}/add/").status_code == 403
        assert tables() == before


def test_rows_are_found_and_cost_as_many_queries_however_many_there_are(
    django_assert_max_num_queries: Any,
) -> None:
    olga, league = browser_of("sara"), make_league(slug="many", starts={"dan": 1700})
    make_league(slug="other", starts={"ben": 1853.25})
    for number in range(10):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=number))
    with django_assert_max_num_queries(9):
        assert olga.get("/admin/league/game/").status_code == 200
    assert b"Game 7" in olga.get("/admin/league/game/?q=7").content
    for name in ("rating", "ratingchange"):
        assert b"Anna" in olga.get(f"/admin/league/{name}/").content
    page = olga.get(f"/admin/league/logentry/?league__id__exact={league.pk}").content.decode()
    assert "initial_rating.set" in page and "1700" in page and "1853.25" not in page
    assert olga.get("/admin/league/game/4711/change/").status_code in (302, 404)


def test_members_see_the_records_of_their_leagues_and_nothing_of_others() -> None:
    secret = make_league(slug="secret", title="Secret", visibility="private")
    record(secret, sheet(("anna", "ben"), (1, 0)))
    create_ladder(secret.pk, "hush", "Hush", RankingRule("points", "month", {}, None, None), username="x")
    rows = (secret, secret.games.get(), secret.ladders.get(), Rating.objects.filter(league=secret).first())
    # An owner may see most of it, a recorder least.
    for browser in (browser_of("rita"), browser_of("oscar")):
        for one in set(RAW) - {"token"}:
            page = browser.get(f"/admin/league/{one}/")
            assert page.status_code == 200, one
            words = page.content.decode().replace("<", " ").replace(">", " ").split()
            assert not {"Secret", "Hush"} & set(words), one
        for row in (*rows, LogEntry.objects.filter(league=secret).first()):
            assert browser.get(f"{address_of(row)}change/").status_code in (302, 404)
        assert browser.get(f"{address_of(Edition.objects.get())}change/").status_code == 200


def test_tokens_are_their_makers_and_their_page_holds_no_secret() -> None:
    token, _ = make_token("server-7", "record")
    Token.objects.update(maker=User.objects.get(username="oscar"))
    for browser in (browser_of("sara"), browser_of("oscar")):
        assert "server-7" in browser.get("/admin/league/token/").content.decode()
        page = browser.get(f"{address_of(token)}change/").content.decode()
        assert (token.digest in page, token.prefix in page) == (False, False)
    for name in ("rita", "olga"):
        assert browser_of(name).get("/admin/league/token/").status_code in (302, 403)


def test_staff_without_a_role_see_nothing(client: Client) -> None:
    game = Game.objects.get(number=1)
    client.force_login(User.objects.create_user("ben", is_staff=True))
    assert {client.get(f"/admin/league/{name}/").status_code for name in RAW} == {403}
    assert client.get(f"{address_of(game)}change/").status_code == 403


def test_a_page_that_adds_raw_records_leads_to_where_games_are_recorded() -> None:
    olga = browser_of("sara")
    for model in ("game", "player", "rating"):
        answer = olga.get(f"/admin/league/{model}/add/")
        page = answer.content.decode()
        assert answer.status_code == 403
        for league in League.objects.all():
            assert f'href="/admin/leagues/{league.slug}/record/"' in page
        assert "Sign in as another user" not in page
    assert ">Record a game</a>" in page
    make_league(slug="other")
    several = olga.get("/admin/league/game/add/").content.decode()
    assert (several.count("Record a game"), several.count('/record/"')) == (1, 2)
