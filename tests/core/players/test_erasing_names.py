"""Forgetting a person: how names are found, and that nobody else is harmed by it."""

import uuid
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from league.apps.reports.models import Report, ReportLink
from league.apps.reports.services.answering import confirm_report, dispute_report
from league.apps.reports.services.links import make_link
from league.apps.webhooks.services.deliveries import build_entry_message
from league.apps.webhooks.services.webhooks import make_webhook
from league.core.errors import Conflict
from league.core.players.name_redaction import NameWords
from league.core.players.services.erase import erase_player
from league.core.players.services.merges import merge_players, unmerge_player
from league.core.players.services.players import add_player, change_player
from league.core.verify.run import verify_league
from league.models import Game, League, LogText, Player, RequestKey
from tests.helpers.builders import make_league, player_of, record, sheet
from tests.helpers.erasing_builders import build_named_club, every_text
from tests.helpers.report_builders import link_of, played, reported, reporting_club

pytestmark = pytest.mark.django_db


def called(*names: str, handle: str = "x-1") -> NameWords:
    """Return the words that name somebody who becomes player 5."""
    return NameWords({handle: "player-5"}, {handle: "player-5", **dict.fromkeys(names, "Player 5")})


@pytest.mark.parametrize(
    ("name", "text", "left"),
    [
        ("Weiß", "Weiß was ill, WEISS too.", "Player 5 was ill, Player 5 too."),
        ("İsmail", "İsmail was ill.", "Player 5 was ill."),
        ("Γιώργος", "ΓΙΏΡΓΟΣ, Γιώργος", "Player 5, Player 5"),
        ("Оля", "ОЛЯ, Олями", "Player 5, Олями"),
        ("Ann", "Annual, Ann's", "Annual, Player 5's"),
        ("Zoe", "Zoë came, Zoe\u0308 too", "Zoë came, Zoe\u0308 too"),
        ("Anna Kowalska", "Anna \n Kowalska; Anna\u00a0Kowalska.", "Player 5; Player 5."),
        ("c++ (x)", "c++ (x) and c", "Player 5 and c"),
        ("Player", "Player came", ""),
        # Found, but not where it could be cut out: all of it goes.
        ("Zoë", "Zoe\u0308 came.", ""),
        ("Igor", "ıgor came.", "Player 5 came."),
    ],
)
def test_a_name_is_found_however_it_is_written(name: str, text: str, left: str) -> None:
    assert called(name).of(text) == left


def test_whoever_is_a_number_already_has_no_name_to_be_found() -> None:
    words = NameWords({"player-5": "player-5"}, {"player-5": "player-5", "Player 5": "Player 5"})
    assert words.of("Player 5 won") == "Player 5 won"


def test_handles_of_others_and_words_of_programs_stay() -> None:
    words = called("Played", "results", "note", handle="anna")
    kept: dict[str, Any] = {
        "kind": "played", "results": [{"player": "anna-2", "handle": "anna.k"}], "url": "/leagues/anna/players/anna-2/",
    }  # fmt: skip
    assert words.within(kept) == kept
    assert words.within({"player": "anna", "note": "anna played", "url": "/api/v1/players/anna/?player=anna"}) == {
        "player": "player-5", "note": "player-5 Player 5", "url": "/api/v1/players/player-5/?player=player-5",
    }  # fmt: skip


def test_reports_and_links_of_others_stand_as_they_are() -> None:
    league = reporting_club(("anna", "ben", "anna-2", "cleo"))
    mine, hers = reported(link_of(league, "anna"), played(note="Anna was late.")), link_of(league, "cleo")
    other = reported(link_of(league, "anna-2"), played(("anna-2", "cleo")))
    make_link(league.pk, "the-secret-of-a-table-of-anna", username="olga", name="Anna's table")
    dispute_report(hers, other.pk, reason="anna says no")
    before = League.objects.get().log_length
    erase_player(player_of("anna"), username="olga")
    assert verify_league(league.pk).differences == []
    number = Player.objects.get(erased_at__isnull=False)
    sheet_, its = (Report.objects.get(pk=one.pk) for one in (mine, other))
    assert [line["player"] for line in sheet_.sheet["results"]] == [number.handle, "ben"]
    assert sheet_.sheet["note"] == ""
    assert [line["player"] for line in its.sheet["results"]] == ["anna-2", "cleo"]
    assert its.answers[0]["player"] == "cleo" and its.answers[0]["reason"] == ""
    # Whoever follows the log hears of no new report, and of no new link.
    kinds = list(league.log.filter(position__gt=before).values_list("kind", flat=True))
    assert kinds.count("report.reworded") == 2 and kinds.count("link.reworded") == 2
    assert not {"report.entered", "report.disputed", "link.made"} & set(kinds)
    assert ReportLink.objects.filter(player=number, revoked_at=None).count() == 0
    assert not ReportLink.objects.filter(name__icontains="anna").exists()
    # What waits can be confirmed still, and counts for the number.
    confirm_report(link_of(league, "ben"), mine.pk)
    assert verify_league(league.pk).differences == []
    assert league.games.latest("number").results.get(seat=1).player == number


def test_whoever_was_forgotten_gets_no_name_again_and_is_forgotten_with_whom_they_turn_out_to_be() -> None:
    league = build_named_club()
    number = erase_player(player_of("anna"), username="olga").player
    for change in ({"name": "Anna Kowalska"}, {"aliases": ["annie"]}):
        with pytest.raises(Conflict, match="was deleted, so the player has no name"):
            change_player(number, username="olga", **change)
    change_player(number, active=False, username="olga")
    with pytest.raises(Conflict, match="was deleted, so the player has no name"):
        merge_players(player_of("dan"), number, username="olga")
    assert verify_league(league.pk).differences == []
    merge_players(number, player_of("dan"), username="olga")
    erase_player(player_of("dan"), username="olga")
    assert Player.objects.get(pk=number.pk).handle == number.handle
    assert verify_league(league.pk).differences == []
    unmerge_player(Player.objects.get(pk=number.pk), username="olga")
    assert verify_league(league.pk).differences == []
    assert not {"dan", "anna"} & set(every_text().split())
    erase_player(add_player("lonely", "Lonely One", ["lone"]), username="olga")
    assert "lone" not in every_text()


ODD_NOTE = 'said "note":{"sealed":"' + "0" * 64 + '"} \\ Ђ\u2028\t\U0001f600'


def test_notes_are_held_to_the_log_whatever_they_say() -> None:
    league = make_league()
    for minutes, note in enumerate([ODD_NOTE, "", "x" * 500, "plain"]):
        record(league, sheet(["anna", "ben"], [1, 0], minutes=minutes, note=note))
    assert verify_league(league.pk).differences == []
    Game.objects.filter(number=1).update(note="another")
    (found,) = verify_league(league.pk).differences
    assert "another" in found and "note" in found
    Game.objects.filter(number=1).update(note=ODD_NOTE)
    LogText.objects.filter(text="plain").update(text="changed")
    Game.objects.filter(number=4).update(note="changed")
    (found,) = verify_league(league.pk).differences
    assert "is not the one that was sealed" in found
    LogText.objects.filter(text="changed").delete()
    told = verify_league(league.pk).differences
    assert any("is missing" in one for one in told) and any("changed" in one for one in told)


def test_old_and_stored_answers_and_webhooks_tell_the_number(client: Client) -> None:
    league = build_named_club()
    hook = make_webhook(league.pk, "https://example.org/hook", username="olga")[0]
    hook.position = 0

    def messages() -> list[bytes]:
        rows: Any = hook.league.log.order_by("position").values("position", "at", "by", "kind", "payload", "sha256")
        return [build_entry_message(hook, entry).body for entry in rows]

    RequestKey.objects.create(
        owner="token", key="k", digest="0" * 64, writer=uuid.uuid4(), status=201, body='{"note": "ıgor and anna"}',
        headers={"Location": "/api/v1/players/anna/"}, expires_at=timezone.now(),
    )  # fmt: skip
    addresses = [
        f"/api/v1/leagues/{league.slug}/changes/?limit=8",
        f"/api/v1/leagues/{league.slug}/ladders/month/periods/2024-03/editions/1/",
    ]
    tags, before = [client.get(address)["ETag"] for address in addresses], messages()
    assert any(b"anna" in body.lower() for body in before)
    number = erase_player(player_of("anna"), username="olga").player
    assert "anna" not in every_text()
    assert RequestKey.objects.get().headers["Location"].endswith(f"/players/{number.handle}/")
    for address, tag in zip(addresses, tags, strict=True):
        assert client.get(address, headers={"If-None-Match": tag}).status_code == 200
        again = client.get(address)["ETag"]
        assert again != tag and client.get(address, headers={"If-None-Match": again}).status_code == 304
    hook.league.refresh_from_db()
    after = messages()
    assert len(after) > len(before) and not any(b"anna" in body.lower() for body in after)
    assert any(number.handle.encode() in body for body in after)
