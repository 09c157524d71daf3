"""Notices by mail: recipients, contents, unsubscribing without signing in, and failing mail servers."""

import re
from datetime import timedelta
from typing import Any
from unittest.mock import Mock, patch

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.mail import EmailMultiAlternatives
from django.core.signing import TimestampSigner
from django.test import Client
from django.utils import timezone

from league.apps.notices import tasks as notice_tasks
from league.apps.notices.models import Notice, NoticeChoice, NoticeMail
from league.apps.notices.selectors.due import News
from league.apps.notices.services import mails
from league.apps.notices.services.choices import build_unsubscribe_path, end_notices, save_choices
from league.apps.notices.services.enqueue import delete_old_facts
from league.apps.notices.services.mails import CLAIM_SECONDS, MAX_ATTEMPTS, RETRY_DELAYS, enqueue_mails, send_mail
from league.core.accounts.services.members import remove_member, set_member
from league.core.errors import Forbidden, Invalid
from league.models import League
from tests.helpers.builders import make_league
from tests.helpers.ladder_builders import clock, utc
from tests.helpers.notice_builders import MORNING, club, evening, mailed, member, told
from tests.helpers.postbox import postbox
from tests.helpers.threads import in_threads

alone = pytest.mark.django_db
together = pytest.mark.django_db(transaction=True)
HTTPS = "https://club.example"
NEWS = "notice.evening"


@pytest.fixture(autouse=True)
def configure_mail(settings: Any) -> None:
    """Configure a mail server and the site's URL."""
    settings.EMAIL_HOST, settings.RUNGS_ORIGIN = "mail.example", HTTPS
    settings.DEFAULT_FROM_EMAIL = "Rungs <rungs@club.example>"


def waiting_mail(*, wanted: bool = True, **settings: Any) -> tuple[League, User, NoticeMail]:
    """Return a league, a recorder who wants evenings, and a waiting mail about one."""
    league = club(**settings)
    rita = member(league, "rita", "recorder")
    save_choices(league, rita, {NEWS: True})
    evening(league)
    told(league)
    return league, rita, NoticeMail.objects.get()


def write_news(league: League, kind: str) -> None:
    """Write a notice of a kind."""
    one = News(kind, f"x{Notice.objects.count()}", {"count": 1})
    with patch("league.apps.notices.services.enqueue.load_news", return_value=[one]):
        told(league, timezone.now())


@alone
def test_members_get_their_choices_or_the_defaults() -> None:
    league, other = club(), make_league(slug="other")
    for name, role in (("olga", "organiser"), ("oscar", "owner"), ("rita", "recorder"), ("rolf", "recorder")):
        member(league, name, role)
    member(league, "nora", "owner", "")
    member(other, "otto", "owner")
    missing = member(league, "gus", "owner")
    User.objects.filter(pk=missing.pk).update(is_active=False)
    User.objects.create_superuser("sara", "sara@club.example")
    save_choices(league, User.objects.get(username="rita"), {NEWS: True, "notice.import_failed": False})
    save_choices(league, User.objects.get(username="olga"), {"notice.decision_due": False})
    for kind in Notice.Kind.values:
        write_news(league, kind)
    assert [(name, kind) for name, kind, _ in mailed()] == [
        ("rita", "notice.evening"),
        ("olga", "notice.period_closed"), ("oscar", "notice.period_closed"), ("rita", "notice.period_closed"),
        ("rolf", "notice.period_closed"),
        ("oscar", "notice.decision_due"),
        ("olga", "notice.import_failed"), ("oscar", "notice.import_failed"), ("rolf", "notice.import_failed"),
        ("olga", "notice.final_standings"), ("oscar", "notice.final_standings"), ("rita", "notice.final_standings"),
        ("rolf", "notice.final_standings"),
    ]  # fmt: skip


@alone
@pytest.mark.parametrize(("host", "origin"), [("", HTTPS), ("mail.example", "")])
def test_without_mail_server_or_origin_no_mails_are_stored(host: str, origin: str, settings: Any) -> None:
    settings.EMAIL_HOST, settings.RUNGS_ORIGIN = host, origin
    league = club()
    member(league, "olga", "organiser")
    write_news(league, "notice.import_failed")
    assert (Notice.objects.count(), mailed()) == (1, [])


@alone
def test_a_mail_is_in_the_leagues_language_with_unsubscribe_links() -> None:
    _, rita, one = waiting_mail(language="de", title="Club <b>")
    with clock(MORNING):
        assert notice_tasks.send_mail_task(one.pk)
    (message,) = mail.outbox
    assert isinstance(message, EmailMultiAlternatives)
    title = "Club <b>, Dienstag, 5. März: 2 Partien, 4 Personen"
    assert (message.subject, message.to, message.from_email) == (
        title, ["rita@club.example"], "Rungs <rungs@club.example>",
    )  # fmt: skip
    headers = message.extra_headers
    (ending,) = re.findall(r"^<(https://club\.example/accounts/notices/[^>]+/)>$", headers["List-Unsubscribe"])
    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert headers["List-Id"] == "<club.notices.club.example>"
    assert headers["Auto-Submitted"] == "auto-generated"
    at = int(MORNING.timestamp())
    assert headers["Message-ID"] == f"<notice-{one.notice_id}-{rita.pk}-{at}@club.example>"
    assert message.body == (
        f"{title}\n\nAnna führt.\n\nRatingänderungen\nAnna +10,0\nCleo ±0,0\nDan ±0,0\nBen \u221210,0\n\n"
        "Partien\nPartie 1: Anna – Ben 1–0\nPartie 2: Cleo – Dan 3–3\n\nDie Spitze der Rangliste\n"
        "1. Anna 1510,0\n2. Cleo 1500,0\n2. Dan 1500,0\n\nhttps://club.example/leagues/club/\n\n-- \n"
        "Du bekommst diese E-Mail, weil du in Club <b> Mitglied bist.\n"
        "Wähle, was per Mail kommt: https://club.example/admin/leagues/club/notices/\n"
        f"Ohne Anmeldung beenden: {ending}\n"
    )
    ((html, kind),) = message.alternatives
    assert kind == "text/html"
    assert isinstance(html, str)
    assert "<strong>Club &lt;b&gt;, Dienstag, 5. März: 2 Partien, 4 Personen</strong>" in html
    assert '<html lang="de">' in html
    assert f'<a href="{ending}">Ohne Anmeldung beenden</a>' in html
    assert '<a href="https://club.example/leagues/club/">Ansehen</a>' in html
    assert "<b>" not in html
    assert message.message()["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert mailed() == [("rita", NEWS, "sent")]
    assert not notice_tasks.send_mail_task(one.pk)
    assert len(mail.outbox) == 1


def link_of(one: NoticeMail) -> str:
    """Return the path of a mail's unsubscribe link."""
    return build_unsubscribe_path(one.notice.league, one.user, one.notice.kind)


@alone
def test_the_unsubscribe_page_needs_a_button_but_no_sign_in() -> None:
    league, rita, one = waiting_mail(title="Club <b>")
    browser = Client(enforce_csrf_checks=True)
    page = browser.get(link_of(one))
    assert (page.status_code, page["X-Robots-Tag"]) == (200, "noindex, nofollow")
    assert "no-store" in page["Cache-Control"]
    text = page.content.decode()
    assert "Club &lt;b&gt;" in text
    assert "Stop only: Games of the day" in text
    assert "rita" not in text
    assert NoticeChoice.objects.filter(wanted=False).count() == 0
    page = browser.post(link_of(one), {"end": "kind"})
    assert "of this kind from Club &lt;b&gt;: Games of the day." in page.content.decode()
    assert list(NoticeChoice.objects.values_list("kind", "wanted")) == [(NEWS, False)]
    browser.post(link_of(one), {"end": "all"})
    assert set(NoticeChoice.objects.values_list("league", "user", "wanted")) == {(league.pk, rita.pk, False)}
    assert set(NoticeChoice.objects.values_list("kind", flat=True)) == set(Notice.Kind.values)
    for kind in Notice.Kind.values:
        write_news(league, kind)
    assert len(mailed()) == 1


@alone
def test_one_click_unsubscribe_ends_all_notices() -> None:
    _, rita, one = waiting_mail(language="de")
    browser = Client(enforce_csrf_checks=True)
    for _ in range(2):
        answer = browser.post(link_of(one), {"List-Unsubscribe": "One-Click"})
        assert answer.status_code == 200
        assert "Von Club kommt nichts mehr per Mail." in answer.content.decode()
    assert set(NoticeChoice.objects.filter(user=rita).values_list("wanted", flat=True)) == {False}
    assert not send_mail(one.pk)
    assert (mailed(), mail.outbox) == ([("rita", NEWS, "unwanted")], [])


@alone
def test_invalid_unsubscribe_links_are_refused() -> None:
    _, rita, one = waiting_mail()
    good, browser = link_of(one), Client(enforce_csrf_checks=True)
    made_up = (good[:-5] + "/", good.replace(":", ":x", 1), "/accounts/notices/x/", "/accounts/notices/%00/")
    for answer in (ask(path) for ask in (browser.get, browser.post) for path in made_up):
        assert answer.status_code == 404
        assert "This link does not work" in answer.content.decode()
    rita.delete()
    assert (browser.get(good).status_code, browser.post(good).status_code) == (404, 404)
    assert Client().put(good).status_code == 405
    assert NoticeChoice.objects.count() == 0


@alone
def test_unwanted_mails_are_not_sent() -> None:
    league, rita, one = waiting_mail()
    for undo in (
        lambda: save_choices(league, rita, {NEWS: False}),
        lambda: remove_member(league.pk, "rita"),
        lambda: User.objects.filter(pk=rita.pk).update(is_active=False),
        lambda: User.objects.filter(pk=rita.pk).update(email=""),
        lambda: Notice.objects.update(facts=None),
    ):
        NoticeMail.objects.update(state="waiting", next_try_at=timezone.now())
        save_choices(league, rita, {NEWS: True})
        undo()
        assert not send_mail(one.pk)
        assert mailed() == [("rita", NEWS, "unwanted")]
        User.objects.filter(pk=rita.pk).update(is_active=True, email="rita@club.example")
        set_member(league.pk, "rita", "recorder")
    assert mail.outbox == []


@alone
def test_a_mail_server_receives_a_standard_message(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    _, _, one = waiting_mail(language="de", title="Spiele–Café: Ä")
    with postbox() as box, clock(MORNING):
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", box.port
        assert send_mail(one.pk)
    (message,) = box.came
    assert message["Subject"].strip() == "Spiele–Café: Ä, Dienstag, 5. März: 2 Partien, 4 Personen"
    assert (message["To"], message["From"]) == ("rita@club.example", "Rungs <rungs@club.example>")
    unfolded = "".join(message["List-Unsubscribe"].split())
    assert unfolded.startswith("<https://club.example/accounts/notices/")
    path = unfolded.removeprefix("<https://club.example").removesuffix(">")
    assert Client(enforce_csrf_checks=True).post(path, {"List-Unsubscribe": "One-Click"}).status_code == 200
    text, html = message.get_body(("plain",)), message.get_body(("html",))
    assert text is not None and html is not None
    assert "Anna führt." in text.get_content()
    assert "<strong>Die Spitze der Rangliste</strong>" in html.get_content()


@alone
def test_an_unavailable_mail_server_is_retried_for_a_day() -> None:
    _, _, one = waiting_mail()
    with patch.object(EmailMultiAlternatives, "send", side_effect=ConnectionRefusedError("no")):
        for number in range(1, MAX_ATTEMPTS + 1):
            before = timezone.now()
            assert enqueue_mails() == [one.pk]
            assert not send_mail(one.pk)
            one.refresh_from_db()
            assert (one.attempts, one.error) == (number, "ConnectionRefusedError: no")
            if number < MAX_ATTEMPTS:
                assert one.state == "waiting"
                assert abs((one.next_try_at - before).total_seconds() - RETRY_DELAYS[number - 1]) < 30
            assert enqueue_mails() == []
            NoticeMail.objects.update(next_try_at=timezone.now() - timedelta(seconds=1))
    assert (one.state, one.ended_at is None) == ("failed", False)
    assert 80_000 < sum(RETRY_DELAYS) < 100_000
    assert enqueue_mails() == []


@alone
@pytest.mark.parametrize(("refusal", "state"), [("550 no such user", "failed"), ("451 later", "waiting")])
def test_a_permanently_rejected_address_is_not_retried(
    refusal: str, state: str, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    _, _, one = waiting_mail()
    with postbox() as box:
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", box.port
        box.refusals = [refusal]
        assert not send_mail(one.pk)
    one.refresh_from_db()
    assert one.state == state
    assert ("was not mailed to rita" in caplog.text) == (state == "failed")


@alone
def test_invalid_addresses_and_crashing_mails_are_given_up() -> None:
    _, person, one = waiting_mail()
    person.email = "rita@club\u2028.example"
    person.save()
    assert not send_mail(one.pk)
    one.refresh_from_db()
    assert (one.state, one.attempts, one.ended_at is None) == ("failed", 1, False)
    assert one.error.startswith("UnicodeError: ")
    NoticeMail.objects.update(
        state="waiting", ended_at=None, error="", attempts=MAX_ATTEMPTS, next_try_at=timezone.now()
    )
    assert not send_mail(one.pk)
    one.refresh_from_db()
    assert (one.state, one.error, one.ended_at is None) == ("failed", "No attempt came to its end.", False)
    assert mail.outbox == []


@alone
@patch.object(TimestampSigner, "timestamp", return_value="1xVMBs")  # a link of the next second is another one
def test_a_killed_workers_mail_is_sent_again(second: Mock) -> None:
    _, _, one = waiting_mail()
    with patch.object(mails, "_finish", side_effect=KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
        send_mail(one.pk)
    assert len(mail.outbox) == 1
    assert (enqueue_mails(), send_mail(one.pk)) == ([], False)
    one.refresh_from_db()
    assert abs((one.next_try_at - timezone.now()).total_seconds() - CLAIM_SECONDS) < 30
    NoticeMail.objects.update(next_try_at=timezone.now())
    assert send_mail(one.pk)
    first, again = mail.outbox
    assert first.extra_headers == again.extra_headers
    assert second.called
    mails._finish(one, "failed")  # the first one wakes up
    assert mailed() == [("rita", NEWS, "sent")]
    mails._record_failure(one, OSError("late"))
    assert mailed() == [("rita", NEWS, "sent")]


@together
def test_eight_workers_at_once_send_a_mail_once() -> None:
    _, _, one = waiting_mail()
    done = in_threads([lambda: send_mail(one.pk)] * 8)
    assert (sum(done), len(mail.outbox)) == (1, 1)


@alone
def test_choices_require_membership_and_role() -> None:
    league = club()
    rita = member(league, "rita", "recorder")
    otto = User.objects.create_user("otto")
    with pytest.raises(Forbidden, match="Only members can get notices"):
        save_choices(league, otto, {NEWS: True})
    for kind in ("notice.decision_due", "notice.nothing", "x" * 99):
        with pytest.raises(Invalid, match="Your role does not receive"):
            save_choices(league, rita, {NEWS: True, kind: True})
    assert NoticeChoice.objects.count() == 0
    save_choices(league, rita, {NEWS: True})
    save_choices(league, rita, {NEWS: False})
    assert list(NoticeChoice.objects.values_list("user", "kind", "wanted")) == [(rita.pk, NEWS, False)]


@together
def test_concurrent_choices_leave_one_row() -> None:
    league = club()
    rita = member(league, "rita", "recorder")
    token = build_unsubscribe_path(league, rita, NEWS).split("/")[3]
    in_threads([lambda: save_choices(league, rita, {NEWS: True}), lambda: end_notices(token, all_kinds=False)] * 3)
    assert NoticeChoice.objects.count() == 1


@alone
def test_old_facts_and_mails_are_deleted() -> None:
    league, _, one = waiting_mail()
    with clock(MORNING + timedelta(days=29)):
        assert delete_old_facts() == 0
    assert NoticeMail.objects.filter(pk=one.pk).exists()
    with clock(utc("2024-04-06T06:01")):
        assert delete_old_facts() == 1
    assert NoticeMail.objects.count() == 0
    assert Notice.objects.get().facts is None
    assert told(league) == []
