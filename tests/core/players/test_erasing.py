"""Forgetting a person: names and texts go, everywhere; figures stay, logs hold, and ``verify`` finds nothing."""

import hashlib
import json
from io import BytesIO, StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction

from league.core.errors import Conflict, Invalid, NotFound
from league.core.log.chain import seal_of
from league.core.log.selectors.log import log_lines
from league.core.log.services.erase_texts import erase_text
from league.core.players.selectors.person import serialize_person
from league.core.players.services.erase import erase_player
from league.core.players.services.merges import merge_players
from league.core.players.services.players import add_player
from league.core.transfer.services.entries import EntryRestore
from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from league.models import Decision, Edition, Game, League, LogEntry, LogText, Player
from tests.helpers.builders import derived, player_of, said
from tests.helpers.erasing_builders import build_named_club, every_text
from tests.helpers.ladder_builders import utc
from tests.helpers.restore_builders import export_of, lines_file
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
built = built_once(build_named_club)


def unwritten() -> int:
    """Return the position of an entry about a recorded game in which nothing is written."""
    return LogEntry.objects.exclude(payload__contains="sealed").filter(kind="game.recorded").latest("pk").position


def called(rows: list[Any], handle: str, other: str) -> list[str]:
    """Return rows of figures as texts, sorted, somebody called otherwise in them."""
    return sorted(repr(row).replace(repr(handle), repr(other)) for row in rows)


def public_log(league: League) -> list[dict[str, Any]]:
    """Return the lines of a league's log."""
    league.refresh_from_db()
    return [json.loads(line) for line in log_lines(league, 0, league.log_length, None)]


def redact_behind_the_log() -> None:
    """Take a name out of the first edition without an entry."""
    edition = Edition.objects.get(number=1)
    text = edition.document.replace('"anna"', '"anne"')
    digest = hashlib.sha256(text.encode()).hexdigest()
    Edition.objects.filter(pk=edition.pk).update(document=text, redacted_sha256=digest)


def test_a_person_is_a_number_everywhere_and_every_figure_stays() -> None:
    league = League.objects.get()
    before, figures, log = derived(league), Edition.objects.values_list("document", flat=True), public_log(league)
    standings = [[(row["rank"], row["score"], row["games"]) for row in json.loads(one)["standings"]] for one in figures]
    published = dict(Edition.objects.values_list("number", "sha256"))
    file_of_before, pk = lines_file(export_of(league)), player_of("anna").pk
    done = erase_player(player_of("anna"), username="olga")
    assert (done.player.handle, done.player.name) == (f"player-{pk}", f"Player {pk}")
    assert "anna" not in every_text() and "kowalska" not in every_text()
    assert [called(part, f"player-{pk}", "anna") for part in derived(league)] == [
        called(part, "anna", "anna") for part in before
    ]
    figures = Edition.objects.order_by("pk").values_list("document", flat=True)
    now = [[(row["rank"], row["score"], row["games"]) for row in json.loads(one)["standings"]] for one in figures]
    assert now == standings
    # What was hashed before is hashed still, to the letter; what is read is another name.
    after = public_log(league)
    assert [line["sha256"] for line in after[: len(log)]] == [line["sha256"] for line in log]
    assert "anna" not in json.dumps(after).casefold()
    assert verify_league(league.pk).differences == []
    assert not league.ladders.get().periods.filter(awaits=True).exists()
    # Notes that name nobody stay.
    assert list(league.games.filter(number__in=(1, 2)).order_by("number").values_list("note", flat=True)) == [
        "", "At the lake.",
    ]  # fmt: skip
    kept = set(LogText.objects.exclude(text="").values_list("text", flat=True))
    assert kept == {"At the lake.", "A friendly.", "Late."}
    # An edition keeps the hash that it was published with, beside that of what is read now.
    for edition in Edition.objects.all():
        assert edition.sha256 == published[edition.number]
        assert edition.redacted_sha256 == hashlib.sha256(edition.document.encode()).hexdigest() != edition.sha256
    told = [said(entry)["sha256"] for entry in league.log.filter(kind="edition.redacted").order_by("position")]
    assert told == list(Edition.objects.order_by("pk").values_list("redacted_sha256", flat=True))
    with pytest.raises(Invalid, match=r"anna is player-[0-9]+ here: renamed or erased since this file was exported"):
        restore_league(file_of_before, slug="again", by="root")
    assert not Player.objects.filter(handle="anna").exists()
    # An export says nothing of them, and restores.
    text = lines_file(export_of(league)).getvalue()
    assert b"anna" not in text.lower() and b"kowalska" not in text.lower()
    again = restore_league(BytesIO(text), slug="again", by="root").league
    assert verify_league(again.pk).differences == []


def test_texts_stay_where_that_is_wanted() -> None:
    league = League.objects.get()
    erase_player(player_of("anna"), username="olga", texts=False)
    assert Game.objects.get(league=league, number=1).note == "Anna was ill."
    assert verify_league(league.pk).differences == []


@pytest.mark.parametrize("change", [{"document": "{}"}, {"sha256": "0" * 64, "redacted_sha256": "1" * 64}])
def test_the_database_lets_an_edition_be_redacted_and_nothing_else(change: dict[str, str]) -> None:
    with pytest.raises(DatabaseError, match="An edition never changes"), transaction.atomic():
        Edition.objects.update(**change)


def test_whoever_was_merged_into_them_is_known_and_forgotten_with_them() -> None:
    league = League.objects.get()
    merge_players(player_of("dan"), player_of("anna"), username="olga")
    found = serialize_person(player_of("anna"))
    assert (found["name"], found["spellings"]) == ("Anna Kowalska", ["anna", "dan"])
    assert found["merges"][0]["player"] == "dan"
    (books,) = found["leagues"]
    assert [(one["game"], one["score"], one["void"]) for one in books["games"]] == [
        (1, 1.0, True), (2, 0.0, True), (3, 0.0, False), (4, 0.0, False), (5, 1.0, False),
    ]  # fmt: skip
    assert books["games"][0]["void_reason"] == "anna kowalska mixed it up"
    assert "ANNA asked for it." in books["written"] and "At the lake." not in books["written"]
    assert len(books["history"]) == 3 and books["league"] == league.slug
    one, other = player_of("anna").pk, player_of("dan").pk
    with pytest.raises(Conflict, match="delete the data of that player"):
        erase_player(player_of("dan"), username="olga")
    erased = erase_player(player_of("anna"), username="olga").player
    assert (Player.objects.get(pk=other).handle, erased.handle) == (f"player-{other}", f"player-{one}")
    told = json.dumps(serialize_person(erased)).casefold()
    assert "anna" not in told and '"dan' not in told
    assert "dan" not in every_text().split()
    assert verify_league(league.pk).differences == []
    with pytest.raises(Conflict, match="has already been deleted"):
        erase_player(erased, username="olga")
    with pytest.raises(NotFound, match="has no entry 99999"):
        erase_text(league.pk, 99_999, username="olga")


def test_the_text_of_an_entry_is_erased_alone() -> None:
    league = League.objects.get()
    entry = league.log.get(kind="game.voided")
    assert said(entry)["reason"] == "A friendly."
    erase_text(league.pk, entry.position, username="olga")
    assert said(entry)["reason"] == ""
    assert not Game.objects.filter(void_reason="A friendly.").exists()
    line = public_log(league)[entry.position - 1]
    assert line["payload"]["reason"] == "" and line["salts"] == {} and set(line["sealed"]["reason"]) == {"sealed"}
    assert verify_league(league.pk).differences == []
    with pytest.raises(Conflict, match="contains no text"):
        erase_text(league.pk, entry.position, username="olga")
    published = league.log.filter(kind="edition.published").first()
    assert published is not None
    with pytest.raises(Conflict, match="is part of what was published"):
        erase_text(league.pk, published.position, username="olga")


def test_decisions_lose_their_reasons_with_their_entries() -> None:
    league = League.objects.get()
    for kind in ("period.carried", "period.reopened", "game.corrected", "game.recorded", "game.restored"):
        for entry in league.log.filter(kind=kind).order_by("position"):
            if '"sealed"' in entry.payload:
                erase_text(league.pk, entry.position, username="olga")
    assert set(Decision.objects.values_list("reason", flat=True)) == {""}
    assert set(Game.objects.exclude(number=4).values_list("note", flat=True)) <= {"", "At the lake."}
    assert verify_league(league.pk).differences == []


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize(
    ("plant", "found"),
    [
        (lambda: LogText.objects.filter(text="A friendly.").update(text="A cup."), "is not the one that was sealed"),
        (lambda: LogText.objects.filter(text="A friendly.").delete(), "is missing"),
        (lambda: LogText.objects.filter(text="A friendly.").update(text="", salt="", erased_at=utc("2024-05-01")),
         "was erased, but that is not in the log"),
        (lambda: LogText.objects.filter(text="A friendly.").update(position=unwritten()), "should have none"),
        (lambda: LogText.objects.filter(text="A friendly.").update(position=10_000), "should have none"),
        (lambda: LogText.objects.filter(text="Late.").update(
            position=LogText.objects.get(text="A friendly.").position), "that is not sealed there"),
        (redact_behind_the_log, "Redacted edition 1 of month 2024-03 exists, but is not in the log."),
    ],
)  # fmt: skip
def test_verify_finds_texts_that_were_changed_behind_the_log(plant: Any, found: str) -> None:
    league = League.objects.get()
    plant()
    assert any(found in sentence for sentence in verify_league(league.pk).differences)


def test_two_who_were_forgotten_at_two_sites_are_not_taken_for_one() -> None:
    league = League.objects.get()
    number = erase_player(player_of("anna"), username="olga").player
    text = lines_file(export_of(league)).getvalue()
    # As at another site, where somebody else has the same number.
    Player.objects.filter(pk=number.pk).update(opaque="~" + "0" * 20)
    with pytest.raises(Invalid, match=f"{number.handle} was erased here"):
        restore_league(BytesIO(text), slug="again", by="root")


@pytest.mark.parametrize("name", ["~" + "0" * 24, "~", "~ä", "~0 0"])
def test_an_opaque_handle_that_no_table_can_keep_is_refused(name: str) -> None:
    line = {"payload": {"player": "anna"}, "sealed": {"player": name}, "salts": {}, "at": utc("2024-06-01")}
    with pytest.raises(Invalid, match="which is not an opaque handle"):
        EntryRestore({}).collect_sealed(7, line)


@pytest.mark.parametrize("salt", ["0" * 33, "ä", 7])
def test_a_salt_that_no_table_can_keep_is_refused(salt: Any) -> None:
    sealed = {"note": {"sealed": seal_of(str(salt), "x")}}
    line = {
        "payload": {"note": "x"},
        "sealed": sealed,
        "salts": {sealed["note"]["sealed"]: salt},
        "at": utc("2024-06-01"),
    }
    with pytest.raises(Invalid, match="is not the one that was sealed"):
        EntryRestore({}).collect_sealed(7, line)


def test_two_of_one_number_have_two_names() -> None:
    league = League.objects.get()
    pk = player_of("anna").pk
    # As restored from another site, where somebody was forgotten who had the number there that Anna has here.
    add_player(f"player-{pk}", f"Player {pk}")
    number = erase_player(player_of("anna"), username="olga").player
    assert (number.handle, number.name) == (f"player-{pk}-2", f"Player {pk}-2")
    assert verify_league(league.pk).differences == []


def test_the_commands_ask_once_more_and_say_what_was_done(monkeypatch: pytest.MonkeyPatch) -> None:
    league = League.objects.get()
    pk, entry = player_of("anna").pk, league.log.get(kind="game.voided")
    out = StringIO()
    call_command("person", "anna", stdout=out)
    assert json.loads(out.getvalue())["name"] == "Anna Kowalska"
    call_command("erase_text", "club", entry.position, stdout=out)
    assert f"The text in entry {entry.position} was erased." in out.getvalue()
    with pytest.raises(CommandError, match="contains no text"):
        call_command("erase_text", "club", entry.position)
    monkeypatch.setattr("builtins.input", lambda _question: "ben")
    with pytest.raises(CommandError, match="Nothing was erased"):
        call_command("erase_player", "anna", stdout=out)
    monkeypatch.setattr("builtins.input", lambda _question: "anna")
    call_command("erase_player", "anna", "--dry-run", stdout=out)
    assert Player.objects.filter(handle="anna").exists()
    assert "In 1 league; named in 2 editions, 0 reports, 0 links, 0 competitions, 0 seasons." in out.getvalue()
    assert "7 texts will be erased:" in out.getvalue() and "ANNA asked for it." in out.getvalue()
    call_command("erase_player", "anna", "--dry-run", "--keep-texts", stdout=out)
    assert "7 texts with a name or part of one will be kept:" in out.getvalue()
    call_command("erase_player", "anna", stdout=out)
    assert (
        f"They are now called Player {pk} (player-{pk}): 1 league, 2 editions redacted, 7 texts erased"
        in out.getvalue()
    )
    with pytest.raises(CommandError, match="No player is called “anna”"):
        call_command("erase_player", "anna", "--yes")
    with pytest.raises(CommandError, match="has already been deleted"):
        call_command("erase_player", f"player-{pk}", "--yes")
