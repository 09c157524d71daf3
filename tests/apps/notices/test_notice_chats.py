"""Notices in chats: formats, escaping, and delivery as webhooks."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from league.apps.notices.models import Notice
from league.apps.notices.services.chat import (
    count_utf16_units,
    cut_lines,
    cut_text,
    disable_mentions,
    escape_for_discord,
    escape_for_slack,
    render_body,
)
from league.apps.webhooks.models import Delivery, Webhook
from league.apps.webhooks.services.deliveries import deliver, enqueue_webhooks
from league.apps.webhooks.services.webhooks import change_webhook, make_webhook, request_replay, request_test
from league.core.errors import Refused
from league.core.log.chain import serialize_canonically
from league.models import League
from tests.helpers.api_client import Api
from tests.helpers.builders import said
from tests.helpers.ladder_builders import clock, duel, record_as_played, utc
from tests.helpers.notice_builders import MORNING, club, evening, told
from tests.helpers.people_builders import SECRETS, two_leagues
from tests.helpers.receiver import Receiver, status
from tests.helpers.tiers import mark_slow
from tests.helpers.webhook_builders import fresh, wind

pytestmark = pytest.mark.django_db
CHATS = ("discord", "slack", "matrix")
URL = "https://club.example/hooks/chat"
EVIL = "@everyone <b>*x*</b> [a](http://evil.example) `&` _y_ <!channel> @room"


@pytest.fixture(autouse=True)
def configure_site(settings: Any) -> None:
    """Allow private networks, as the tests use loopback; set the site's URL."""
    settings.RUNGS_WEBHOOKS_PRIVATE, settings.RUNGS_ORIGIN = True, "https://club.example"


def league_with_chat(receiver: Receiver, form: str, *kinds: str, **settings: Any) -> tuple[League, Webhook]:
    """Return a league with a chat."""
    league = club(**settings)
    webhook, _ = make_webhook(league.pk, receiver.url, kinds, form=form, username="oscar")
    return league, webhook


def send_evening(receiver: Receiver, form: str, **settings: Any) -> Any:
    """Return the message that a chat gets for an evening."""
    league, webhook = league_with_chat(receiver, form, **settings)
    evening(league)
    told(league)
    with clock(MORNING):
        assert deliver(webhook.pk) == 1
    return receiver.came[0].data


TITLE = "Club, Tuesday 5 March: 2 games, 4 players"
LINK = "https://club.example/leagues/club/"


def test_an_evening_in_discord(receiver: Receiver) -> None:
    assert send_evening(receiver, "discord") == {
        "allowed_mentions": {"parse": []},
        "content": f"**{TITLE}**",
        "embeds": [
            {
                "description": "Anna leads.\n\n**Rating changes**\nAnna +10.0\nCleo ±0.0\nDan ±0.0\n"
                "Ben \u221210.0\n\n**Games**\nGame 1: Anna – Ben 1–0\nGame 2: Cleo – Dan 3–3\n\n"
                "**Top of the board**\n1. Anna 1510.0\n2. Cleo 1500.0\n2. Dan 1500.0",
                "title": "View",
                "url": LINK,
            }
        ],
    }


def test_an_evening_in_slack(receiver: Receiver) -> None:
    sections = [
        "Anna leads.",
        "Rating changes\nAnna +10.0\nCleo ±0.0\nDan ±0.0\nBen \u221210.0",
        "Games\nGame 1: Anna – Ben 1–0\nGame 2: Cleo – Dan 3–3",
        "Top of the board\n1. Anna 1510.0\n2. Cleo 1500.0\n2. Dan 1500.0",
    ]
    assert send_evening(receiver, "slack") == {
        "unfurl_links": False,
        "text": "\n\n".join([TITLE, *sections]) + f"\n<{LINK}|View>",
        "blocks": [
            {"type": "header", "text": {"type": "plain_text", "text": TITLE, "emoji": False}},
            *[{"type": "section", "text": {"type": "plain_text", "text": one, "emoji": False}} for one in sections],
            {"type": "context", "elements": [{"type": "mrkdwn", "text": f"<{LINK}|View>"}]},
        ],
    }


def test_an_evening_in_matrix_in_german(receiver: Receiver) -> None:
    assert send_evening(receiver, "matrix", language="de") == {
        "text": "Club, Dienstag, 5. März: 2 Partien, 4 Personen\n\nAnna führt.\n\nRatingänderungen\n"
        "Anna +10,0\nCleo ±0,0\nDan ±0,0\nBen \u221210,0\n\nPartien\nPartie 1: Anna – Ben 1–0\n"
        "Partie 2: Cleo – Dan 3–3\n\nDie Spitze der Rangliste\n"
        "1. Anna 1510,0\n2. Cleo 1500,0\n2. Dan 1500,0\n\n" + LINK,
        "html": "<p><strong>Club, Dienstag, 5. März: 2 Partien, 4 Personen</strong></p>\n<p>Anna führt.</p>\n"
        "<p><strong>Ratingänderungen</strong><br>Anna +10,0<br>Cleo ±0,0<br>Dan ±0,0<br>"
        "Ben \u221210,0</p>\n<p><strong>Partien</strong><br>Partie 1: Anna – Ben 1–0<br>"
        "Partie 2: Cleo – Dan 3–3</p>\n<p><strong>Die Spitze der Rangliste</strong><br>1. Anna 1510,0<br>"
        f'2. Cleo 1500,0<br>2. Dan 1500,0</p>\n<p><a href="{LINK}">Ansehen</a></p>',
    }


def test_names_are_escaped_and_mention_no_one() -> None:
    assert escape_for_discord(EVIL) == (
        "@\u200beveryone \\<b\\>\\*x\\*\\</b\\> \\[a\\]\\(http\\://evil.example\\) \\`&\\` \\_y\\_ "
        "\\<!channel\\> @\u200broom"
    )
    assert escape_for_slack(EVIL) == (
        "@\u200beveryone &lt;b&gt;*x*&lt;/b&gt; [a](http://evil.example) `&amp;` _y_ &lt;!channel&gt; @\u200broom"
    )
    assert disable_mentions("@room @@here") == "@\u200broom @\u200b@\u200bhere"


@pytest.mark.parametrize("form", CHATS)
def test_all_user_texts_are_escaped(form: str) -> None:
    league = club(title=EVIL)
    names = {"name": EVIL, "won": True, "winner": True, "score": 1.0, "place": None}
    ranked = {"rank": 1, "name": EVIL, "score": 2.0, "games": 1}
    cup = {"competition": EVIL, "path": "/leagues/club/competitions/cup/", "day": "2024-03-05", "time": "19:30"}
    every: dict[str, dict[str, Any]] = {
        "notice.evening": {
            "day": "2024-03-05", "count": 1, "people": 1, "sheets": [{"number": 1, "lines": [names]}], "decimals": 1,
            "moved": 1, "movers": [{"name": EVIL, "change": 1.0, "games": 1}], "top": [ranked], "before": [EVIL],
            "adjusted": 0, "adjustments": [], "seasons": [],
        },
        "notice.period_closed": {
            "ladder": EVIL, "slug": "m", "period": "2024-03", "edition": 2, "reason": EVIL, "rows": [ranked],
            "winners": [EVIL, EVIL], "decimals": 1,
        },
        "notice.decision_due": {"count": 1, "reports": 0, "periods": [{"ladder": EVIL, "period": "2024-03"}]},
        "notice.import_failed": {"by": EVIL, "line": 2, "problems": 1, "refusal": EVIL},
        "notice.round_published": {
            **cup, "round": 1, "last_round": 1, "count": 1, "fixtures": [{"table": 1, "names": [EVIL]}], "byes": [EVIL],
        },
        "notice.deadline_near": {**cup, "count": 2, "fixtures": [{"table": None, "names": [EVIL, EVIL]}]},
        "notice.final_standings": {
            **cup, "edition": 2, "reason": EVIL, "rows": [{"rank": 1, "name": EVIL, "points": 1.5}],
        },
    }  # fmt: skip
    assert set(every) == set(Notice.Kind.values)
    for number, (kind, facts) in enumerate(every.items(), start=1):
        notice = Notice(league=league, number=number, kind=kind, subject="x", at=MORNING, facts=facts)
        body = json.loads(render_body(form, league, notice))
        for text in texts_in(body):
            assert not re.search("@(everyone|room|here|channel)", text)
            if form == "discord":
                assert not re.search(r"(?<!\\)(<|\[|`|_y|\*x|http://)", text)
            if form == "slack":
                assert not re.search(r"<(?!https://club\.example/)|&(?!amp;|lt;|gt;)", text)
        if form == "matrix":
            assert set(re.findall(r"</?(\w+)", body["html"])) <= {"p", "strong", "br", "a"}
            assert "[a](http" in body["text"]  # it is shown as html


def texts_in(body: Any) -> Iterator[str]:
    """Yield all texts of a message except HTML."""
    if isinstance(body, dict):
        for name, value in body.items():
            if name not in ("html", "url"):
                yield from texts_in(value)
    elif isinstance(body, list):
        for value in body:
            yield from texts_in(value)
    elif isinstance(body, str):
        yield body


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("letter", mark_slow(["*", "&", "𝔸", "@"], "Another letter.", but=["*", "𝔸"]))
@pytest.mark.parametrize("form", CHATS)
def test_long_names_fit_the_limits_of_chats(form: str, letter: str) -> None:
    league = club(title="T" * 120)
    name = letter * 120
    lines = [
        {"name": name, "won": number < 60, "winner": number < 60, "score": 123456789.5, "place": None}
        for number in range(100)
    ]
    facts = {
        "day": "2024-03-05", "count": 99, "people": 99, "decimals": 1, "before": [],
        "adjusted": 0, "adjustments": [], "seasons": [],
        "sheets": [{"number": number, "lines": lines} for number in range(25)],
        "moved": 15, "movers": [{"name": name, "change": 1.0, "games": 1}] * 15,
        "top": [{"rank": 1, "name": name, "score": 1.0}] * 3,
    }  # fmt: skip
    notice = Notice(league=league, number=1, kind="notice.evening", subject="x", at=MORNING, facts=facts)
    body = json.loads(render_body(form, league, notice))
    if form == "discord":
        assert count_utf16_units(body["content"]) <= 2000
        (embed,) = body["embeds"]
        assert count_utf16_units(embed["description"]) <= 4096
        assert embed["description"].endswith("…")
    elif form == "slack":
        assert len(body["blocks"]) <= 50
        assert count_utf16_units(body["blocks"][0]["text"]["text"]) <= 150
        for block in body["blocks"][1:-1]:
            assert 0 < count_utf16_units(block["text"]["text"]) <= 3000
    else:
        assert count_utf16_units(body["text"]) <= 16_000


def test_cutting_does_not_split_escapes() -> None:
    assert cut_text("abc", 3) == "abc"
    assert cut_text("abcd", 3) == "ab…"
    assert cut_text("**abcdef**", 8, "**") == "**abc…**"
    assert cut_text("a&amp;&amp;", 9) == "a&amp;…"
    assert cut_text("ab\\*\\*", 5) == "ab\\*…"
    assert cut_text("ab\\\\\\*c", 5) == "ab…"
    assert cut_text("𝔸𝔸𝔸", 5) == "𝔸𝔸…"
    assert cut_lines(["one", "two", "three"], 10) == "one\ntwo\n…"
    assert cut_lines(["one", "two"], 99) == "one\ntwo"


def test_a_chat_gets_new_notices_of_its_kinds_once(receiver: Receiver) -> None:
    league, form = club(), "matrix"
    evening(league, "2024-03-04")
    told(league, utc("2024-03-05T06:00"))
    webhook, _ = make_webhook(league.pk, receiver.url, form=form)
    other, _ = make_webhook(league.pk, receiver.url, ["notice.period_closed"], form=form)
    assert (webhook.position, webhook.kinds) == (1, [])
    assert deliver(webhook.pk) == 0
    evening(league)
    told(league)
    assert enqueue_webhooks(league.pk) == sorted([str(webhook.pk), str(other.pk)])
    assert [deliver(webhook.pk), deliver(webhook.pk), deliver(other.pk)] == [1, 0, 0]
    (request,) = receiver.came
    assert re.fullmatch(rf"{webhook.pk.hex}-notice-2-\d+", request.name)
    assert request.headers["webhook-signature"].startswith("v1,")
    assert (fresh(webhook).position, fresh(other).position) == (2, 2)
    assert list(Delivery.objects.values_list("kind", "position", "status")) == [("notice.evening", 2, 204)]


def test_a_failing_chat_is_retried_and_then_disabled(receiver: Receiver) -> None:
    league, webhook = league_with_chat(receiver, "discord")
    evening(league)
    told(league)
    receiver.script = [status(429, **{"Retry-After": "600"}), status(500)]
    for _ in range(3):
        deliver(webhook.pk)
        wind(webhook)
    assert len({(one.name, one.body) for one in receiver.came}) == 1
    assert [len(receiver.came), fresh(webhook).position] == [3, 1]
    receiver.usual = status(410)
    evening(league, "2024-03-06")
    told(league, utc("2024-03-07T06:00"))
    deliver(webhook.pk)
    assert fresh(webhook).state == "disabled"


@pytest.mark.parametrize("form", CHATS)
def test_a_test_message_is_in_the_leagues_language(form: str, receiver: Receiver, settings: Any) -> None:
    league, webhook = league_with_chat(receiver, form, language="de")
    request_test(webhook)
    settings.RUNGS_ORIGIN = ""
    evening(league)
    told(league)
    with clock(MORNING):
        deliver(webhook.pk)
    test, news = receiver.came
    assert test.name.startswith("test-")
    assert "Hier kommen Nachrichten dieser Liga an." in test.body.decode()
    assert "Anna führt." in news.body.decode()
    assert "http" not in news.body.decode() and "Ansehen" not in news.body.decode()
    assert list(Delivery.objects.order_by("pk").values_list("kind", flat=True)) == ["webhook.test", "notice.evening"]


def test_a_replay_skips_deleted_notices(receiver: Receiver) -> None:
    league, webhook = league_with_chat(receiver, "slack")
    for day in (5, 6):
        evening(league, f"2024-03-0{day}")
        told(league, utc(f"2024-03-0{day + 1}T06:00"))
    assert deliver(webhook.pk) == 2
    Notice.objects.filter(number=1).update(facts=None)
    request_replay(webhook, 0)
    assert deliver(webhook.pk) == 1
    with pytest.raises(Refused, match="Club has 2 notices; after must be 0 to 2"):
        request_replay(webhook, 3)


def test_a_webhook_changed_to_a_chat_gets_new_notices_only(
    receiver: Receiver,
) -> None:
    league = club()
    webhook, _ = make_webhook(league.pk, receiver.url, ["game.recorded"])
    evening(league)
    told(league)
    assert League.objects.get().has_listeners
    changed = change_webhook(webhook, form="discord")
    assert (changed.format, changed.kinds, changed.position) == ("discord", [], 1)
    assert not League.objects.get().has_listeners
    assert deliver(webhook.pk) == 0
    changed = change_webhook(webhook, form="slack", kinds=["notice.evening"])
    assert (changed.kinds, changed.position) == (["notice.evening"], 1)
    changed = change_webhook(webhook, form="standard", kinds=["game.voided"])
    assert (changed.kinds, changed.position) == (["game.voided"], League.objects.get().log_length)
    assert League.objects.get().has_listeners


def test_the_standard_format_is_unchanged(receiver: Receiver) -> None:
    league = club()
    webhook, _ = make_webhook(league.pk, receiver.url, ["game.recorded"])
    record_as_played(league, duel("anna", "ben", "2024-03-05T19:30"))
    told(league)
    assert deliver(webhook.pk) == 1
    entry = league.log.get(kind="game.recorded")
    assert receiver.came[0].body.decode() == (
        '{"data":{"by":"test","league":"club","payload":'
        + serialize_canonically(said(entry))
        + f',"position":{entry.position},'
        f'"sha256":"{entry.sha256}"}},"timestamp":"2024-03-05T19:30:00.000000Z","type":"game.recorded"}}'
    )


@pytest.mark.parametrize("form", CHATS)
def test_a_private_leagues_players_appear_in_its_own_chats_only(form: str, receiver: Receiver) -> None:
    opened, closed = two_leagues()
    hooks = [make_webhook(league.pk, receiver.url, form=form)[0] for league in (opened, closed)]
    for league in (opened, closed):
        League.objects.filter(pk=league.pk).update(created_at=MORNING)
        league.games.update(recorded_at=utc("2024-03-05T20:00"))
        told(league)
    assert [deliver(hook.pk) for hook in hooks] == [1, 1]
    first, second = (request.body.decode() for request in receiver.came)
    assert not [secret for secret in SECRETS if secret in first]
    assert "Mata Hari" in second
    assert not [secret for secret in SECRETS[1:] if secret in second]
    assert "Ben" not in second


def test_the_api_creates_and_changes_chats() -> None:
    club()
    api, hooks = Api("organise"), "leagues/club/webhooks/"
    created = api.post(hooks, {"url": URL, "format": "discord", "kinds": ["notice.evening"]})
    assert (created.status_code, created.data["format"], created.data["kinds"]) == (201, "discord", ["notice.evening"])
    assert (created.data["position"], created.data["waiting"]) == (0, 0)
    one = f"{hooks}{created.data['id']}/"
    assert api.patch(one, {"kinds": ["notice.import_failed"]}).data["kinds"] == ["notice.import_failed"]
    changed = api.patch(one, {"format": "standard"}).data
    assert (changed["kinds"], changed["format"]) == ([], "standard")
    for body, code, pointer in (
        ({"url": URL, "format": "irc"}, 400, "/format"),
        ({"url": URL, "format": "slack", "kinds": ["game.recorded"]}, 422, "/kinds/0"),
        ({"url": URL, "kinds": ["notice.evening"]}, 422, "/kinds/0"),
        ({"url": URL, "format": None}, 400, "/format"),
    ):
        refused = api.post(hooks, body)
        assert (refused.status_code, refused.data["errors"][0]["pointer"]) == (code, pointer)
    assert Webhook.objects.count() == 1
