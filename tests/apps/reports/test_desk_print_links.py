"""The sheet with the links of all players, or of those without one; it is shown once."""

import re
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from league.apps.reports.models import ReportLink
from league.apps.reports.selectors.reports import list_valid_links
from league.apps.reports.services import links
from league.apps.reports.services.links import make_player_links
from league.core.errors import Conflict, Invalid, Refused
from league.core.leagues.services.leagues import change_league
from league.core.players.services.merges import merge_players
from league.core.players.services.players import add_player, set_active, set_initial_rating
from league.core.verify.run import verify_league
from league.models import League, LogEntry, Player
from tests.helpers.builders import make_league, player_of
from tests.helpers.desk_client import ONCE_KEY, sign_in_member
from tests.helpers.ladder_builders import tables
from tests.helpers.report_builders import TABLE, link_of, played, reported, reporting_club
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db

PRINT, REPORTS = "/admin/leagues/club/reports/links/print/", "/admin/leagues/club/reports/"


def slip_urls(page: Any) -> dict[str, str]:
    """Return the URLs on the slips of a sheet by handle, in order."""
    return {player.handle: address for player, address, _ in page.context["slips"]}


def counts(page: Any) -> tuple[int, int, int]:
    """Return the numbers of all players, of those with a link, and of those without."""
    return page.context["players"], page.context["linked"], page.context["missing"]


@long_way
def test_players_without_a_link_get_one_and_the_others_keep_theirs() -> None:
    league = reporting_club()
    ben = link_of(league, "ben")
    rita = sign_in_member("rita", "recorder", league)
    assert f'href="{PRINT}"' in rita.get(REPORTS).content.decode()
    assert counts(rita.get(PRINT)) == (4, 1, 3)
    page = rita.post(PRINT, {"players": "missing", "once": ONCE_KEY})
    created = slip_urls(page)
    assert list(created) == ["anna", "cleo", "dan"]
    assert "no-store" in page["Cache-Control"]
    for handle, address in created.items():
        secret = re.fullmatch(r"http://testserver/report/([\w-]{43})/", address)
        assert secret
        assert reported(secret[1], played((handle, "ben"))).entered_by == player_of(handle)
        assert address in page.content.decode()
    assert reported(ben).entered_by == player_of("ben")
    entries = LogEntry.objects.filter(kind="link.made", by="rita")
    assert entries.count() == 3
    assert verify_league(league.pk).differences == []
    assert counts(rita.get(PRINT)) == (4, 4, 0)


def test_new_links_for_all_revoke_the_earlier_ones() -> None:
    league = reporting_club()
    ben = link_of(league, "ben")
    rita = sign_in_member("rita", "recorder", league)
    before = slip_urls(rita.post(PRINT, {"players": "missing"}))
    after = slip_urls(rita.post(PRINT, {"players": "all", "good_for": "31"}))
    assert list(after) == ["anna", "ben", "cleo", "dan"]
    assert not set(after.values()) & set(before.values())
    assert [Client().get(address).status_code for address in before.values()] == [410] * 3
    with pytest.raises(Conflict):
        reported(ben)
    assert reported(TABLE, who="anna").entered_by == player_of("anna"), "a table keeps its link"
    now = timezone.now()
    found = list_valid_links(league, now).exclude(player=None)
    assert [one.player.handle for one in found if one.player] == ["anna", "ben", "cleo", "dan"]
    assert {one.expires_at for one in found} == {one.made_at + timedelta(days=31) for one in found}
    assert LogEntry.objects.filter(kind="link.revoked", by="rita").count() == 4
    assert verify_league(league.pk).differences == []


def test_a_repeated_form_shows_the_sheet_for_a_while() -> None:
    league = reporting_club()
    rita = sign_in_member("rita", "recorder", league)
    data = {"players": "all", "once": ONCE_KEY}
    created = slip_urls(rita.post(PRINT, data))
    assert slip_urls(rita.post(PRINT, data)) == created
    assert ReportLink.objects.exclude(player=None).count() == 4
    changed = rita.post(PRINT, {**data, "players": "missing"})
    assert (len(changed.context["form"].non_field_errors()), "slips" in changed.context) == (1, False)
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            rows = repr(cursor.fetchall())
            assert not [address for address in created.values() if address.split("/")[4] in rows], table
    with patch("league.web.organiser.forms.timezone.now", return_value=timezone.now() + timedelta(minutes=6)):
        late = rita.post(PRINT, data)
    assert (late.status_code, late["Location"]) == (302, REPORTS)
    other = sign_in_member("olga", "organiser", league)
    assert not set(slip_urls(other.post(PRINT, data)).values()) & set(created.values())


def test_only_active_players_of_the_league_have_a_slip() -> None:
    league = reporting_club()
    add_player("zoe", "Zoe")
    add_player("udo", "Udo")
    set_initial_rating(league.pk, player_of("udo"), 1500.0)
    set_active(league.pk, player_of("ben"), active=False)
    old = link_of(league, "dan")
    merge_players(player_of("dan"), player_of("anna"), username="olga")
    rita = sign_in_member("rita", "recorder", league)
    assert counts(rita.get(PRINT)) == (3, 1, 2), "Anna has the link of Dan"
    assert list(slip_urls(rita.post(PRINT, {"players": "missing"}))) == ["cleo", "udo"]
    assert list(slip_urls(rita.post(PRINT, {"players": "all"}))) == ["anna", "cleo", "udo"]
    with pytest.raises(Conflict):
        reported(old)


@pytest.mark.parametrize("data", [{}, {"players": "some"}, {"players": "all", "good_for": "7"}])
def test_invalid_choices_are_refused_at_the_field(data: dict[str, str]) -> None:
    rita = sign_in_member("rita", "recorder", reporting_club())
    before = tables("RequestKey")
    page = rita.post(PRINT, data)
    assert list(page.context["form"].errors) == ["good_for" if "good_for" in data else "players"]
    assert tables("RequestKey") == before


def test_the_page_explains_why_no_links_can_be_created() -> None:
    league = make_league(players=(), reporting="by_link")
    rita = sign_in_member("rita", "recorder", league)
    page = rita.get(PRINT)
    assert (counts(page), b'<form method="post" novalidate' in page.content) == ((0, 0, 0), False)
    assert len(rita.post(PRINT, {"players": "all"}).context["form"].non_field_errors()) == 1
    change_league(league.pk, {"reporting": "off"})
    for answer in (rita.get(PRINT), rita.post(PRINT, {"players": "all"})):
        assert (answer.status_code, answer["Location"]) == (302, REPORTS)
    with pytest.raises(Refused):
        make_player_links(league.pk, lambda player: player.handle, username="olga", replace=True)


def test_the_service_refuses_invalid_lifetimes_and_too_many_links(monkeypatch: pytest.MonkeyPatch) -> None:
    league = reporting_club()
    link_of(league, "anna")
    before = tables()

    def make(**more: Any) -> list[ReportLink]:
        return make_player_links(league.pk, lambda player: f"s-{player.handle}", username="olga", **more)

    with pytest.raises(Invalid) as refused:
        make(replace=True, good_for=timedelta(0))
    assert [(one.pointer, one.code) for one in refused.value.problems] == [("/good_for", "out_of_bounds")]
    # The table, Anna, and three or four more.
    monkeypatch.setattr(links, "MAX_LINKS", 4)
    for replace in (False, True):
        with pytest.raises(Refused):
            make(replace=replace)
    assert tables() == before
    monkeypatch.setattr(links, "MAX_LINKS", 5)
    assert [one.player for one in make(replace=True)] == list(Player.objects.order_by("name"))
    with pytest.raises(Refused):
        make(replace=False)


def test_too_many_links_are_refused_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    rita = sign_in_member("rita", "recorder", reporting_club())
    monkeypatch.setattr(links, "MAX_LINKS", 3)
    page = rita.post(PRINT, {"players": "all"})
    (sentence,) = page.context["form"].non_field_errors()
    assert sentence == (
        "This sheet needs 4 new links. Club already has 1 valid link, and 3 are allowed. Revoke unused links, "
        "mark players who have left as inactive, or create a link for each table instead."
    )
    assert list(ReportLink.objects.values_list("name", flat=True)) == ["Table 1"]


def test_the_number_of_queries_is_constant(django_assert_max_num_queries: Any) -> None:
    names = [f"p{number}" for number in range(40)]
    league = reporting_club(names)
    rita = sign_in_member("rita", "recorder", league)
    for players in ("missing", "all"):
        with django_assert_max_num_queries(40):
            assert len(slip_urls(rita.post(PRINT, {"players": players}))) == 40
    assert League.objects.get().log_length == LogEntry.objects.count()
