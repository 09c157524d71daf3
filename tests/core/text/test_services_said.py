"""What services say is said in the reader's language; what they keep is the same in every language."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone, translation

from league.apps.reports.models import Report
from league.apps.reports.selectors.reports import compute_mark
from league.apps.reports.services.answering import confirm_report
from league.apps.reports.services.deciding import record_report
from league.apps.reports.services.lapsing import lapse_due_reports
from league.core.accounts.services.invitations import accept
from league.core.accounts.services.members import set_member
from league.core.accounts.services.passwords import send_reset_link
from league.core.errors import Conflict, Invalid, NotFound, Refused, RungsError
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import record_game, void_game
from league.core.leagues.services.leagues import create_league
from league.core.leagues.services.templates import create_from_template, list_templates
from league.core.text.names import format_author
from league.core.verify.run import verify_league
from league.models import Invitation, League, LogEntry
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.report_builders import link_of, played, reported, reporting_club

pytestmark = pytest.mark.django_db
OPEN, CLOSE = "⟦", "⟧"
LATER = timedelta(hours=49)


@pytest.fixture(autouse=True)
def brackets(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let every language but English say each text in brackets, and German be the one that is spoken."""

    def said(text: str) -> str:
        return text if translation.get_language() == "en" else f"{OPEN}{text}{CLOSE}"

    asked = translation._trans  # type: ignore[attr-defined]  # what all of Django asks
    monkeypatch.setattr(asked, "gettext", said, raising=False)
    monkeypatch.setattr(asked, "pgettext", lambda context, text: said(text), raising=False)
    monkeypatch.setattr(asked, "ngettext", lambda one, many, count: said(one if count == 1 else many), raising=False)
    with translation.override("de"):
        yield


def refusal(kind: type[RungsError], work: object, *given: object, **more: object) -> str:
    """Return what is said where something is refused."""
    assert callable(work)
    with pytest.raises(kind) as refused:
        work(*given, **more)
    return refused.value.detail


def test_refusals_are_sentences_of_the_reader_s_language() -> None:
    league = make_league(players=("anna", "ben"))
    nobody = sheet(("anna", "nobody"), (1, 0))
    assert refusal(Refused, record_game, league.pk, nobody, by="") == "⟦Seat 2: ⟦no player is called “nobody”.⟧⟧"
    twice = sheet(("anna", "anna"), (1, 0))
    assert "⟦Anna is in seats 1 and 2; a player can play a game only once.⟧" in refusal(
        Refused, record_game, league.pk, twice, by=""
    )
    without = refusal(Invalid, record_game, league.pk, NewGame([NewResult("anna")], kind="x"), by="")
    assert without == "⟦A game's kind is one of: played, forfeit, full_bye, half_bye, zero_bye, pairing_bye, friendly.⟧"
    assert refusal(NotFound, void_game, league.pk, 7, reason="typo", username="") == "⟦The league has no game 7.⟧"
    assert refusal(NotFound, accept, "no-such-secret", None) == (
        "⟦This invitation does not exist. The link may be incomplete.⟧"
    )
    assert refusal(Conflict, create_league, league.slug, "Again").startswith("⟦There is already a league “")


def test_how_many_more_there_are_is_a_sentence_of_its_own() -> None:
    table = NewGame([NewResult(f"p{seat}", float("nan")) for seat in range(12)])
    said = refusal(Invalid, record_game, make_league(players=()).pk, table, by="")
    assert said.endswith("⟦Seat 10: the score must be a finite number.⟧ ⟦And 2 more problems.⟧")


def test_a_problem_document_speaks_english_whatever_is_asked_for() -> None:
    league = make_league(players=("anna", "ben"))
    document = {"results": [{"player": "anna", "score": 1}]}
    answer = Client().post(
        f"/api/v1/leagues/{league.slug}/preview/", document, content_type="application/json",
        headers={"Accept-Language": "de"},
    )  # fmt: skip
    assert answer.json()["title"] == "The league's rules do not allow this."
    assert answer.json()["detail"] == "Seat 1: no player is called “anna”."
    english = Client().get("/api/v1/leagues/none-such/", headers={"Accept-Language": "de"}).json()
    assert english["title"] == "This does not exist."


def test_what_is_kept_with_a_report_is_english_whatever_language_runs_out_of_time() -> None:
    league = reporting_club(report_timeout="confirm")
    anna = link_of(league, "anna")
    broken = reported(anna)
    Report.objects.filter(pk=broken.pk).update(sheet={**broken.sheet, "details": {"bula": 1}})
    twin = reported(anna, played(hours=2))
    record(league, played(hours=2))
    assert lapse_due_reports(league.pk, timezone.now() + LATER) == 2
    broken.refresh_from_db()
    twin.refresh_from_db()
    assert (broken.state, twin.state) == ("overdue", "twin")
    assert "bula" in broken.reason
    assert OPEN not in broken.reason
    assert broken.displayed_reason == broken.reason, "a sentence of the rules stays as it was kept"
    assert twin.reason == "Game 3 at about that time has the same players and scores."
    assert twin.displayed_reason == f"{OPEN}{twin.reason}{CLOSE}"
    assert not [entry for entry in LogEntry.objects.all() if OPEN in entry.payload or OPEN in entry.by]
    assert verify_league(league.pk).state == "is right"


def test_a_confirmation_in_any_language_keeps_english_words() -> None:
    league = reporting_club()
    report = reported(link_of(league, "anna"))
    record(league, played())
    answered = confirm_report(link_of(league, "ben"), report.pk)
    assert (answered.state, answered.reason) == (
        "twin", "Game 3 at about that time has the same players and scores."
    )  # fmt: skip
    done = record_report(
        league.pk, report.pk, mark=compute_mark(answered), username="olga", amended=played(scores=(0, 1))
    )
    assert (done.reason, done.displayed_reason) == ("Recorded with changes.", "⟦Recorded with changes.⟧")
    assert refusal(Conflict, record_report, league.pk, report.pk, mark="", username="olga") == (
        "⟦This report has already been recorded as game 4.⟧"
    )
    assert not [entry for entry in LogEntry.objects.all() if OPEN in entry.payload]


def test_a_reason_that_somebody_wrote_is_not_translated() -> None:
    report = Report(state="refused", reason="Game 3 at about that time has the same players and scores.")
    assert report.displayed_reason == report.reason


def test_who_writes_by_itself_is_called_in_the_reader_s_language_and_nobody_else() -> None:
    called = {
        name: format_author(name) for name in ("the table", "the clock", "the calendar", "the sweep", "owner", "")
    }
    own = {name: f"⟦{name}⟧" for name in ("the table", "the clock", "the calendar")}
    assert called == {**own, "the sweep": "⟦the periodic check⟧", "owner": "owner", "": ""}


def test_a_template_is_said_and_its_ladders_are_called_as_it_was_said() -> None:
    (chosen,) = (one for one in list_templates() if one.key == "barbu")
    assert chosen.title == "⟦Barbu monthly with the best ten (Zester)⟧"
    league = create_from_template(
        chosen, "club", "Club", settings={}, parameters=chosen.parameters, username="olga", owner=None
    )
    assert [one.title for one in league.ladders.order_by("slug")] == [
        "⟦Ladder of the month⟧",
        "⟦Best ten of the year (Zester)⟧",
    ]
    assert list_templates()[-1].game == "", "a game without a name has none in any language"


def test_roles_in_sentences_are_words_of_the_language(django_user_model: type) -> None:
    league = make_league()
    olga = django_user_model.objects.create_user("olga")  # type: ignore[attr-defined]  # a bare type to the stubs
    set_member(league.pk, "olga", "owner")
    assert refusal(Conflict, set_member, league.pk, "olga", "recorder") == (
        f"⟦“olga” is the last owner of {league.title}; make another member an owner first.⟧"
    )
    now = timezone.now()
    given = Invitation(
        league=League.objects.get(pk=league.pk), role="recorder", invited_by=olga, made_at=now,
        expires_at=now + LATER, digest="b9c0b3ac3c3fab6d7eba8ac3a0af8d04bc06a4a1c2d4f84b30ad6c3a4e1a2b3c",
    )  # fmt: skip
    given.save()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("league.core.accounts.services.secret_links.hash_token", lambda secret: given.digest)
        said = refusal(Conflict, accept, "secret", olga)
    assert said == f"⟦You are already ⟦owner⟧ of {league.title}. The invitation was not used and stays open.⟧"


def test_a_mail_is_written_in_the_language_in_which_it_was_asked_for(django_user_model: type) -> None:
    rita = django_user_model.objects.create_user("rita", "rita@club.example")  # type: ignore[attr-defined]  # as above
    assert send_reset_link(rita.pk, "https://club.example", "de")
    assert send_reset_link(rita.pk, "https://club.example", "en")
    german, english = mail.outbox
    assert german.subject == "⟦New password for club.example⟧"
    assert str(german.body).startswith(
        "⟦A new password was requested for rita at club.example.⟧\n\n⟦Choose one with this link."
    )
    assert english.subject == "New password for club.example"
    assert OPEN not in str(english.body)
