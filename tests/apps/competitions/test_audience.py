"""What an address hides, every other one hides: drafts, unpublished rounds, who must not meet whom, seeds of lots."""

import json
import re
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.utils import timezone

from league.apps.competitions.models import Competition
from league.apps.competitions.services.competitions import (
    cancel_competition,
    change_competition,
    create_competition,
    finish_competition,
)
from league.apps.competitions.services.entries import NewEntry, add_entries, change_entry, withdraw_entry
from league.apps.competitions.services.fixtures import change_fixture
from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import make_round, publish_round, undo_round
from league.apps.notices.services.render import render_notice
from league.core.accounts.services.members import set_member
from league.core.log.kinds import list_kinds
from league.core.log.selectors.audience import FIELD_KINDS, PublicReader
from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from league.models import League
from league.web.api import urls as api_urls
from league.web.organiser import urls as desk_urls
from league.web.public import urls as page_urls
from tests.helpers.api_client import Api, game
from tests.helpers.builders import league_of
from tests.helpers.competition_builders import enter, make_competition, start
from tests.helpers.notice_builders import told
from tests.helpers.people_builders import session, token
from tests.helpers.public_log import check_chain, load_lines, read
from tests.helpers.report_builders import link_of, reported, reporting_club
from tests.helpers.running_competitions import loaded_cup, scores
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [
    pytest.mark.usefixtures("built"),
    pytest.mark.django_db,
    pytest.mark.uncounted("Asks every address of pages and API, which tests of their own hold line by line."),
]
#: Words of what only arbiters see: the draft, the round that is made, the one that was undone.
DRAFT, MADE, UNDONE = "Zwiebel", "Geheimtisch", "Ruecknahme"
SEED = 8_123_456_789_012_345
#: Words of what everyone sees, so that a test that reads nothing fails.
SHOWN = ("Erstbrett", "Altenpokal", "Absagecup", "Offenes Blitz")
CLUB = "leagues/club/"
#: What stands in an address -> what leads to something.
GIVEN = {
    "league": "club", "slug": "club", "player": "anna", "handle": "anna", "key": "swiss", "number": "1",
    "other": "ben", "user": "rita", "ladder": "month", "period": "2024-03", "position": "7", "name": "1", "job": "1",
    "token": "x", "sheet": "pairings", "webhook": "5c8e0f4e-9f5e-4a0b-8a53-2b1c1c8d7f21", "experiment": "1",
    "digest": "0" * 64,
}  # fmt: skip


def build() -> None:
    """Make a league with competitions and rounds in each state, whose hidden ones have the words above."""
    league = reporting_club()
    for name, role in (("rita", "recorder"), ("arne", "arbiter"), ("olga", "organiser")):
        User.objects.create_user(name)
        set_member(league.pk, name, role)
    User.objects.create_user("otto")
    words = {"title": f"{DRAFT}markt", "description": f"{DRAFT}fest", "venue": f"{DRAFT}haus", "group": f"{DRAFT}kreis"}
    draft = {"format": "swiss", "sides_of": 2, "status": "draft", "players_enter": True, **words}
    create_competition(league.pk, "draft", draft, by="olga")
    add_entries(league.pk, "draft", [NewEntry(["anna", "ben"], name=f"{DRAFT}bund")], by="olga")
    make_competition(league, "swiss", slug="open", title="Offenes Blitz", players_enter=True)
    enter(league, "anna", "ben", slug="open")
    make_competition(league, slug="gone", title="Absagecup")
    cancel_competition(league.pk, "gone", by="olga")
    make_competition(league, "swiss", slug="old", title="Altenpokal", rounds=1, tie_breaks=["BH"])
    start(league, slug="old")
    make_round(league.pk, "old", by="olga")
    publish_round(league.pk, "old", 1, by="olga")
    for fixture in league.competitions.get(slug="old").fixtures.order_by("number"):
        record_result(league.pk, fixture.number, scores(1, 0), by="olga")
    finish_competition(league.pk, "old", by="olga")
    run_cup(league)
    reported(link_of(league, "anna"))
    told(league, timezone.now())
    Competition.objects.update(seed=SEED)


def run_cup(league: League) -> None:
    """Run a Swiss: round 1 is played, a round 2 was made and undone, another one is made."""
    make_competition(league, "swiss", title="Laufender Pokal", rounds=3, tie_breaks=["BH"])
    Competition.objects.filter(slug="cup").update(seed=SEED)
    start(league, players=("anna", "ben", "cleo", "dan"))
    change_entry(league.pk, "cup", 1, {"not_against": [4]}, by="olga")
    for number, word in ((1, "Erstbrett"), (2, UNDONE), (2, MADE)):
        make_round(league.pk, "cup", by="olga")
        first, *others = loaded_cup(league).list_fixtures(number)
        change_fixture(league.pk, first.number, {"venue": word}, by="olga", reason=word)
        if word == UNDONE:
            undo_round(league.pk, "cup", 2, by="olga")
        if number == 1:
            publish_round(league.pk, "cup", 1, by="olga")
            for fixture in (first, *others):
                record_result(league.pk, fixture.number, scores(1, 0), by="olga")


built = built_once(build)


def _list_numbers(route: str) -> tuple[str, str]:
    """Return the numbers of two rounds or entries, or of a fixture of each round."""
    return ("3", "5") if "fixtures/" in route else ("1", "2")


def list_addresses() -> Iterator[str]:
    """Yield every address that reads, for each competition."""
    found = (("/api/v1/", api_urls), ("/", page_urls), ("/admin/leagues/", desk_urls))
    for prefix, pattern in ((prefix, pattern) for prefix, urls in found for pattern in urls.urlpatterns):
        view = getattr(pattern.callback, "view_class", None)
        if pattern.name is None or (view is not None and not hasattr(view, "get")):
            continue
        converters = pattern.pattern.converters
        for slug in ("draft", "cup") if "competition" in converters else ("",):
            for number in _list_numbers(str(pattern.pattern)) if slug and "number" in converters else ("1",):
                text, given = str(pattern.pattern), {**GIVEN, "competition": slug, "number": number}
                for name in converters:
                    text = re.sub(f"<(str|int|uuid|slug|path):{name}>", given.get(name, "1"), text)
                yield prefix + text


MORE = (
    *(f"/api/v1/{CLUB}{rest}" for rest in (
        "changes/?format=json", "export/?format=csv", "competitions/cup/export/?format=csv",
        "competitions/cup/export/?format=trf", "competitions/cup/export/?format=json", "games/?format=csv",
        "competitions/cup/fixtures/?round=2", "competitions/cup/standings/?format=csv",
    )),
    *(f"/leagues/club/{rest}" for rest in (
        "?q=anna", "competitions/cup/entries/1/?explain=BH", "competitions/cup/wall/?show=pairings",
    )),
    *(f"/oembed/?format=json&url=http://testserver/leagues/club/competitions/{slug}/" for slug in ("draft", "cup")),
    "/sitemap-leagues.xml", "/robots.txt", "/status.json",
)  # fmt: skip
#: What says the same for all leagues.
NOT_ASKED = ("/api/v1/docs", "/api/v1/schema", "/api/v1/systems", "/api/v1/tie-breaks", "/systems", "/api/v1/pairing")


def enter_by_link() -> Api:
    """Return the browser of a player with a private link."""
    api = Api()
    assert DRAFT not in read(api, f"/report/{link_of(league_of(), 'ben')}/")[1]
    return api


SLOW = pytest.mark.slow("May see no more than a recorder.")
READERS = [
    pytest.param(Api, id="a stranger", marks=SLOW),
    pytest.param(lambda: session("rita"), id="a recorder"),
    pytest.param(enter_by_link, id="a player", marks=SLOW),
    pytest.param(lambda: session("otto"), id="a user without a role", marks=SLOW),
    pytest.param(lambda: token("rita"), id="a recorder's token", marks=SLOW),
    pytest.param(lambda: token("arne", "record"), id="an arbiter's token without the scope", marks=SLOW),
]


@pytest.mark.parametrize("face", READERS)
def test_no_address_tells_what_is_not_published(face: Callable[[], Api]) -> None:
    api, texts = face(), []
    asked = {path for path in (*list_addresses(), *MORE) if not path.startswith(NOT_ASKED)}
    for path in sorted(asked):
        status, text = read(api, path)
        assert status < 500 or "/export/" in path, path
        # What was asked is repeated.
        told = text.replace(path.rpartition("?")[2], "") if "?" in path else text
        found = [word for word in (DRAFT, MADE, UNDONE, str(SEED)) if word in told]
        assert not found, (path, found)
        assert not re.search(r'"not_against": ?\[\d|[a-z] must not meet\.|^(260|XXP)', told, re.MULTILINE), path
        texts.append(told)
    assert [word for word in SHOWN if not any(word in text for text in texts)] == []


def test_no_notice_tells_what_is_not_published() -> None:
    league = league_of()
    notices = apps.get_model("notices", "Notice").objects.filter(league=league)
    texts = [str(render_notice(notice, league)) for notice in notices]
    assert texts
    assert not [text for text in texts if any(word in text for word in (DRAFT, MADE, UNDONE))]


def test_recorders_find_no_fixture_of_an_unpublished_round() -> None:
    league, api = league_of(), session("rita")
    hidden = league.competitions.get(slug="cup").fixtures.filter(round__number=2).values_list("number", flat=True)
    assert sorted(hidden) == [5, 6]
    result = {"results": [{"score": 1}, {"score": 0}]}
    answers = [api.post(f"{CLUB}competitions/cup/fixtures/{number}/result/", result) for number in hidden]
    assert [answer.status_code for answer in answers] == [404, 404]
    sent = api.post(f"{CLUB}games/", game(("anna", 1), ("ben", 0), fixture=5))
    assert (sent.status_code, MADE in sent.content.decode()) == (422, False)
    assert league_of().log_length == league.log_length
    # Nor are they offered what only arbiters do.
    offers = [read(session(name), "/admin/leagues/club/")[1] for name in ("rita", "arne")]
    assert [("Publish round 2" in text, "Pair round 2" in text) for text in offers] == [(False, False), (True, False)]


@pytest.mark.parametrize("face", [lambda: session("arne"), lambda: token("olga")])
def test_arbiters_read_everything(face: Callable[[], Api]) -> None:
    api = face()
    text = read(api, f"{CLUB}changes/")[1]
    assert all(word in text for word in (DRAFT, MADE, UNDONE, "not_against", "seed"))
    assert "left_out" not in text
    assert api.get(f"{CLUB}changes/")["Cache-Control"].startswith("private")
    assert api.get(f"{CLUB}competitions/cup/entries/1/").data["not_against"] == [4]
    assert "must not meet" not in read(Api(), f"{CLUB}competitions/cup/rounds/1/")[1]
    assert re.search("^260", read(api, f"{CLUB}competitions/cup/export/?format=trf26")[1], re.MULTILINE)


def test_the_chain_of_a_stranger_proves_and_opens_when_things_are_published() -> None:
    league, stranger = league_of(), Api()
    before = load_lines(stranger)
    assert check_chain(before) > 0
    assert check_chain(load_lines(stranger, f"{CLUB}export/")) > 0
    assert check_chain(load_lines(token("olga"))) == 0
    hidden = [line for line in before if line["kind"].startswith("round.") and line.get("left_out")]
    assert [line["payload"] for line in hidden] == [{"competition": "cup"}] * 2
    assert [line["payload"] for line in before if line.get("left_out") == ["payload"]] == [{}] * 2
    tag = stranger.get(f"{CLUB}changes/?limit=40")["ETag"]
    publish_round(league.pk, "cup", 2, by="olga")
    change_competition(league.pk, "draft", {"status": "open"}, by="olga")
    assert stranger.get(f"{CLUB}changes/?limit=40")["ETag"] != tag
    after = load_lines(stranger)
    text = json.dumps(after)
    assert (DRAFT in text, MADE in text, UNDONE in text, str(SEED) in text) == (True, True, False, False)
    assert [line["sha256"] for line in after[: len(before)]] == [line["sha256"] for line in before]
    published, opened = after[-2:]
    assert (published["payload"]["rounds"][0]["round"], opened["payload"]["settings"]["competition"]) == (2, "draft")
    check_chain(after)
    change_competition(league.pk, "draft", {"status": "draft"}, by="olga")
    assert DRAFT not in json.dumps(load_lines(stranger))


def test_a_withdrawal_and_an_undone_published_round_are_told() -> None:
    league, stranger = league_of(), Api()
    undo_round(league.pk, "cup", 2, by="olga")
    withdraw_entry(league.pk, "cup", 4, by="olga")
    undone, withdrawn = load_lines(stranger)[-2:]
    assert undone["payload"]["removed"]["rounds"] == [2]
    assert [row["status"] for row in withdrawn["payload"]["entries"]] == ["withdrawn"]
    assert withdrawn["left_out"] == ["apart", "metadata", "not_against", "salt"]


def export_as(api: Api) -> tuple[dict[str, Any], bytes]:
    """Return the first line of an export, and the whole."""
    text = read(api, f"{CLUB}export/")[1]
    return json.loads(text.splitlines()[0]), text.encode()


@long_way
def test_exports_say_what_they_leave_out_and_are_restored() -> None:
    Competition.objects.update(seed=7)  # As logged: build() changed it behind the log's back.
    head, public = export_as(Api())
    assert head["public"] and {"draft_competitions", "unpublished_rounds", "not_against"} <= {*head["left_out"]}
    whole_head, whole = export_as(session("olga"))
    assert (whole_head.get("public", False), whole_head.get("left_out", [])) == (False, [])
    assert all(word.encode() in whole for word in (DRAFT, MADE, UNDONE))
    again = restore_league(BytesIO(public), slug="again", known_players=True, by="root").league
    assert list(verify_league(again.pk).differences) == []
    assert sorted(Competition.objects.filter(league=again).values_list("slug", flat=True)) == [
        "cup", "gone", "old", "open",
    ]  # fmt: skip
    make_round(again.pk, "cup", by="olga")
    assert list(verify_league(again.pk).differences) == []


def test_every_kind_of_entry_has_an_audience() -> None:
    reader = PublicReader(league_of())
    assert sorted([*reader.open_kinds, *reader.audiences, *FIELD_KINDS]) == sorted(list_kinds())
