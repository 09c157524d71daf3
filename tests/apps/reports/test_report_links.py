"""Links for reporting games: their players, how they end, and what they hide."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from league.apps.reports.models import Report, ReportLink
from league.apps.reports.selectors.reports import load_player_reports
from league.apps.reports.services import links
from league.apps.reports.services.answering import confirm_report, dispute_report
from league.apps.reports.services.entering import enter_report
from league.apps.reports.services.links import make_link, make_player_links, revoke_link
from league.core.errors import Conflict, Invalid, NotFound, Refused
from league.core.leagues.services.leagues import change_league
from league.core.players.services.merges import merge_players, unmerge_player
from league.core.players.services.players import add_player
from league.core.verify.run import verify_league
from league.models import League, LogEntry, Player
from tests.helpers.builders import league_of, make_league, player_of, reread
from tests.helpers.competition_builders import enter, make_competition
from tests.helpers.people_builders import two_leagues
from tests.helpers.report_builders import ENDS, TABLE, all_refuse, link_of, played, reported, reporting_club
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]

built = built_once(reporting_club)


@pytest.mark.parametrize(("end", "sentence"), ENDS.values(), ids=ENDS)
def test_an_invalid_link_is_refused(end: Callable[[League, ReportLink], object], sentence: str) -> None:
    league = league_of()
    anna = link_of(league, "anna")
    other = reported(link_of(league, "ben"))
    end(league, ReportLink.objects.get(player=player_of("anna")))
    all_refuse(
        Conflict,
        sentence,
        lambda: reported(anna),
        lambda: confirm_report(anna, other.pk),
        lambda: dispute_report(anna, other.pk, reason="No"),
    )
    with pytest.raises(NotFound, match="This link does not work"):
        reported("nothing")
    assert (Report.objects.count(), reread(other).state) == (1, "waiting")


def test_the_link_of_a_merged_player_belongs_to_the_remaining_player() -> None:
    league = league_of()
    dan, cleo = link_of(league, "dan"), link_of(league, "ben")
    old = reported(dan, played(("dan", "ben")))
    merge_players(player_of("dan"), player_of("anna"), username="olga")
    with pytest.raises(Refused, match="You reported this game"):
        confirm_report(dan, old.pk)
    assert reported(dan).entered_by == player_of("anna")
    done = confirm_report(cleo, old.pk)
    assert done.game is not None
    assert [line.player.handle for line in done.game.results.order_by("seat")] == ["anna", "ben"]
    seen = load_player_reports(league, player_of("anna"), timezone.now())
    assert {one.report.pk for one in seen if one.own} == {old.pk, *Report.objects.values_list("pk", flat=True)}
    unmerge_player(player_of("dan"), username="olga")
    assert reported(dan, played(("dan", "ben"), hours=5)).entered_by == player_of("dan")
    assert verify_league(league.pk).state == "is right"


def test_links_are_for_active_players_and_named_tables(monkeypatch: Any) -> None:
    league = league_of()
    Player.objects.create(handle="zoe", name="Zoe")
    with pytest.raises(Refused, match="Zoe is not an active player of Club"):
        make_link(league.pk, "z", username="olga", player=player_of("zoe"))
    for name in ("", "x" * 81, "a\0b"):
        with pytest.raises(Invalid):
            make_link(league.pk, "z", username="olga", name=name)
    for length in (timedelta(0), timedelta(days=-1), timedelta(days=9999)):
        with pytest.raises(Invalid, match="A link can be valid for"):
            make_link(league.pk, "z", username="olga", name="Table 2", good_for=length)
    with pytest.raises(Conflict, match="Table 1 already has a link"):
        make_link(league.pk, "z", username="olga", name=" Table  1 ")
    with pytest.raises(Conflict, match="This form has already created a link"):
        make_link(league.pk, TABLE, username="olga", name="Table 2")
    created = make_link(league.pk, "t", username="olga", name="Table 2", good_for=timedelta(days=1))
    assert created.expires_at == created.made_at + timedelta(days=1)
    monkeypatch.setattr(links, "MAX_LINKS", 2)
    with pytest.raises(Refused, match="Club already has 2 valid links"):
        make_link(league.pk, "z", username="olga", name="Table 3")
    change_league(league.pk, {"reporting": "off"})
    with pytest.raises(Refused, match="Players cannot report games in Club"):
        make_link(league.pk, "z", username="olga", name="Table 3")
    with pytest.raises(NotFound):
        revoke_link(league.pk, "5c8e0f4e-9f5e-4a0b-8a53-2b1c1c8d7f21", username="olga")


def test_a_players_new_link_revokes_the_earlier_one() -> None:
    league = league_of()
    old, ben = link_of(league, "anna"), link_of(league, "ben")
    new = link_of(league, "anna")
    with pytest.raises(Conflict, match="no longer valid"):
        reported(old)
    assert getattr(reported(new).link, "player", None) == player_of("anna")
    reported(ben)
    reported(TABLE, played(("cleo", "dan")), who="dan")
    assert verify_league(league.pk).state == "is right"
    rows = repr(list(ReportLink.objects.values())) + repr(list(LogEntry.objects.values()))
    assert not [secret for secret in (old, new, ben, TABLE) if secret in rows]


def test_a_link_reveals_no_players_of_other_leagues() -> None:
    opened, _ = two_leagues()
    change_league(opened.pk, {"reporting": "by_link"})
    make_link(opened.pk, "secret", username="olga", player=player_of("anna"))
    for name in ("mata", "H21", "Mata Hari", "nobody", "newcomer", "Annie"):
        with pytest.raises(Refused) as refused:
            enter_report("secret", played(("anna", name)), key="k")
        assert refused.value.detail == (
            f"Seat 2: “{name}” is not an active player of this league. Ask an organiser to add new players."
        )


def test_new_players_have_a_link_before_their_first_game_and_report_it() -> None:
    league = league_of()
    make_league(slug="other", players=())
    add_player("nina", "Nina", added_in=league)
    add_player("otto", "Otto", added_in=league_of("other"))
    for handle in ("entrant", "hidden"):
        add_player(handle, handle.title())
    for slug, handle, status in (("cup", "entrant", "open"), ("draft", "hidden", "draft")):
        make_competition(league, slug=slug, status=status)
        enter(league, handle, slug=slug)
    all_refuse(
        Refused, "add the player to the league first", *(partial(link_of, league, one) for one in ("otto", "hidden"))
    )
    nina, entrant = (link_of(league, handle) for handle in ("nina", "entrant"))
    report = reported(nina, played(("nina", "entrant")))
    assert confirm_report(entrant, report.pk).state == "confirmed"
    secrets = {player.handle: f"secret-of-{player.handle}" for player in Player.objects.all()}
    made = make_player_links(league.pk, lambda player: secrets[player.handle], username="olga", replace=True)
    assert {link.player.handle for link in made if link.player} == {"anna", "ben", "cleo", "dan", "nina", "entrant"}
    assert verify_league(league.pk).state == "is right"
