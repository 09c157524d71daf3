"""All that is known of a person, for who asks what is kept of them: in the books, and beside them."""

import json
from io import StringIO
from typing import Any

import pytest
from django.contrib.admin.models import CHANGE
from django.contrib.admin.models import LogEntry as AdminEntry
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.test import Client

from league.apps.reports.services.answering import dispute_report
from league.apps.reports.services.links import make_link
from league.core.accounts.services.members import set_member
from league.core.accounts.services.tokens import make_token
from league.core.games.services.record import void_game
from league.core.players.selectors.person import serialize_person
from league.core.players.services.erase import erase_player
from league.core.players.services.merges import merge_players
from league.core.players.services.players import add_player
from league.core.verify.run import verify_league
from league.models import Game, Invitation, Ladder, League, Player, Token
from tests.helpers.builders import league_of, player_of, record
from tests.helpers.ladder_builders import close, duel, make_ladder
from tests.helpers.report_builders import link_of, played, reported, reporting_club
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]


def busy_club() -> None:
    """Make a league in which Јелена stands in whatever keeps a name."""
    league = reporting_club(("jelena", "ben", "cleo", "dan"))
    Player.objects.filter(handle="jelena").update(name="Јелена Żółć")
    add_player("lena", "Lena Z.", ["Еленка"])
    make_ladder(league)
    record(league, duel("jelena", "ben", "2024-03-10", note="ЈЕЛЕНА ŻÓŁĆ was ill."))
    record(league, duel("ben", "cleo", "2024-03-11", note="Јелена looked on.", external_id="jelena:7"))
    record(league, duel("cleo", "ben", "2024-03-12", note="Jelenak came."))
    close(league, "2024-03")
    merge_players(player_of("lena"), player_of("jelena"), username="olga")
    void_game(league.pk, 4, reason="Еленка said so.", username="olga")


built = built_once(busy_club)


def told(handle: str = "jelena", *options: str) -> dict[str, Any]:
    """Return what the command writes of somebody."""
    out = StringIO()
    call_command("person", handle, *options, stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def test_notes_are_found_by_every_spelling_as_words() -> None:
    found = serialize_person(player_of("jelena"))
    assert found["spellings"] == ["jelena", "lena", "Еленка"]
    assert [one["name"] for one in found["merges"]] == ["Lena Z."]
    (books,) = found["leagues"]
    assert books["written"] == ["ЈЕЛЕНА ŻÓŁĆ was ill.", "Еленка said so."]
    assert books["written_maybe_of_them"] == ["Јелена looked on."]


def test_editions_and_what_people_wrote_elsewhere_are_told() -> None:
    league = league_of()
    League.objects.filter(pk=league.pk).update(description="Founded by Јелена Żółć.")
    Ladder.objects.update(title="The jelena cup")
    Invitation.objects.create(
        league=league, role="recorder", digest="0" * 64, note="for Еленка", made_at=league.created_at,
        expires_at=league.created_at, invited_by=User.objects.create_user("olga"),
    )  # fmt: skip
    (books,) = serialize_person(player_of("jelena"))["leagues"]
    assert [(one["period"], [row["player"] for row in one["standings"]]) for one in books["editions"]] == [
        ("2024-03", ["jelena"])
    ]
    assert {(one["where"], one["said"]) for one in books["elsewhere"]} >= {
        ("description", "Founded by Јелена Żółć."),
        ("title of a ladder", "The jelena cup"),
        ("note of an invitation", "for Еленка"),
        ("external_id of a game", "jelena:7"),
    }


def test_reports_are_told_where_they_only_sat() -> None:
    league = league_of()
    reported(link_of(league, "ben"), played(("ben", "jelena"), hours=5))
    other = reported(link_of(league, "cleo"), played(("cleo", "dan"), hours=2))
    dispute_report(link_of(league, "dan"), other.pk, reason="Not so.")
    make_link(league.pk, "the-secret-of-her-table", username="olga", name="Table of jelena")
    (books,) = serialize_person(player_of("jelena"))["leagues"]
    (report,) = books["reports"]
    assert report["entered_by_them"] is False and report["sheet"]["results"][1]["player"] == "jelena"
    assert [link["name"] for link in books["links"]] == ["Table of jelena"]


def test_who_only_sat_in_a_report_of_a_league_is_forgotten_there() -> None:
    league = league_of()
    add_player("milica", "Милица Ђурђевић")
    report = reported(link_of(league, "ben"), played(("ben", "dan"), hours=5))
    sheet = {
        **report.sheet,
        "results": [report.sheet["results"][0], {**report.sheet["results"][1], "player": "milica"}],
    }
    type(report).objects.filter(pk=report.pk).update(sheet=sheet)
    assert [one["league"] for one in serialize_person(player_of("milica"))["leagues"]] == ["club"]
    erase_player(player_of("milica"), username="olga")
    report.refresh_from_db()
    assert "milica" not in json.dumps(report.sheet)


def test_accounts_tokens_and_the_desks_own_log_are_told_to_the_operator() -> None:
    league = league_of()
    password = "correct horse battery"
    user = User.objects.create_user("jelena", "jz@example.org", password, first_name="Јелена", last_name="Żółć")
    other = User.objects.create_user("club-secretary", "secretary@example.org")
    set_member(league.pk, "jelena", "recorder")
    token, _text = make_token("for Јелена Żółć", "record")
    Token.objects.filter(pk=token.pk).update(maker=user)
    Client().post("/admin/login/", {"username": "jelena", "password": password})
    act = AdminEntry.objects.log_actions(
        other.pk, [player_of("jelena")], CHANGE, change_message="Јелена Żółć", single_object=True
    )
    assert act is not None
    site = told()["site"]
    (account,) = site["accounts"]
    assert (account["username"], account["email"], account["open_sessions"]) == ("jelena", "jz@example.org", 1)
    assert [one["address"] for one in account["browsers"]] == ["127.0.0.1"]
    assert (account["second_steps"], account["connected"]) == ([], [])
    assert account["roles"] == [{"league": "club", "role": "recorder"}]
    assert [one["label"] for one in account["tokens"]] == ["for Јелена Żółć"] == site["labels_of_tokens"]
    assert account["last_signed_in_at"] is not None
    assert [one["said"] for one in site["desk_log"]] == ["Јелена Żółć"]
    assert "password" not in json.dumps(site)
    named = told("jelena", "--user", "club-secretary")["site"]["accounts"]
    assert [one["username"] for one in named] == ["jelena", "club-secretary"]
    assert len(named[1]["did_at_the_desk"]) == 1


def test_the_desks_own_log_and_messages_of_browsers_forget_them_too() -> None:
    league = league_of()
    user = User.objects.create_user("olga")
    AdminEntry.objects.log_actions(
        user.pk, [player_of("jelena")], CHANGE, change_message="renamed Јелена Żółć", single_object=True
    )
    kept = SessionStore()
    kept.update({"_messages": '[["__json_message", 0, 25, "Јелена may record now."]]', "other": "stays"})
    kept.save()
    quiet = SessionStore()
    quiet["other"] = "stays"
    quiet.save()
    pk = player_of("jelena").pk
    erase_player(player_of("jelena"), username="olga", parts=True)
    act = AdminEntry.objects.get()
    assert (act.object_repr, act.change_message) == (f"Player {pk}", f"renamed Player {pk}")
    decoded = [one.get_decoded() for one in Session.objects.all()]
    assert decoded == [{"other": "stays"}] * 2
    assert Game.objects.get(number=3).note == ""
    assert verify_league(league.pk).differences == []
