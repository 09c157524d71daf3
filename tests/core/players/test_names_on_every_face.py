"""Whom a text means: the same answer on every face, for people and texts drawn at random."""

import json
import random
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import Client

from league.apps.competitions.models import EntryPlayer
from league.apps.reports.models import Report
from league.apps.reports.services.links import make_link
from league.core.leagues.services.leagues import change_league
from league.core.permissions import Viewer
from league.core.players.selectors.resolve import find_one
from league.core.players.selectors.search import resolve_names
from league.core.players.services.merges import merge_players
from league.core.players.services.players import add_player, change_player
from league.models import ExternalId, League, Player, Result
from tests.helpers.api_client import Api, game
from tests.helpers.builders import league_of, make_league, player_of, record, sheet
from tests.helpers.competition_builders import make_competition
from tests.helpers.desk_client import page_text, sheet_fields, sign_in_member
from tests.helpers.people_builders import desk, session, two_leagues
from tests.helpers.report_builders import TABLE, TABLE_PAGE, report_fields
from tests.helpers.tiers import examples, long_way, mark_slow

pytestmark = pytest.mark.django_db
NAMES = (
    "Eva Solo",
    "eva solo",
    "Max Mann",
    "Łucja Żak",
    "Lucja Zak",
    "Zoë Quist",
    "Zoe Quist",
    "李小龙",
    "Ann-Marie O'Neil",
)
#: How texts are written that mean the same: other letters, spaces, and marks that nobody sees.
FORMS: tuple[Callable[[str], str], ...] = (
    str, str.upper, str.lower, lambda text: text.replace(" ", "  "), lambda text: text.replace(" ", "\u00a0"),
    lambda text: f"{text[:2]}\u200b{text[2:]}", lambda text: f"{text}\ufe0f",
    lambda text: f"{text[:1]}\u00ad{text[1:]}",
    lambda text: unicodedata.normalize("NFD", text), lambda text: text.replace("E", "\uff25"),
    lambda text: f"{text}x",
)  # fmt: skip
Answer = tuple[str, frozenset[str]]
NOBODY: Answer = ("none", frozenset())


@dataclass
class Person:
    """A person of the site."""

    handle: str
    name: str
    aliases: list[str] = field(default_factory=list)
    fide: str = ""
    plays: bool = False


def fold(text: str) -> str:
    """Return what two texts have in common that differ in nothing that a reader sees."""
    letters = unicodedata.normalize("NFKC", text).casefold()
    seen = [one for one in letters if unicodedata.category(one) != "Cf" and not 0xFE00 <= ord(one) <= 0xFE0F]
    return " ".join(unicodedata.normalize("NFKC", "".join(seen)).split())


def meant(text: str, people: list[Person]) -> Answer:
    """Return whom a text means, by the contract's four steps; players of the league before others."""
    written = " ".join(text.split())
    steps: list[Callable[[Person], bool]] = [
        lambda one: bool(one.fide) and written.lower() == f"fide:{one.fide}",
        lambda one: written == one.handle,
        lambda one: written in (one.name, *one.aliases),
        lambda one: fold(text) in map(fold, (one.handle, one.name, *one.aliases)),
    ]
    for step in steps:
        found = [one for one in people if step(one)]
        found = [one for one in found if one.plays] or found if len(found) > 1 else found
        if found:
            return ("one" if len(found) == 1 else "several", frozenset(one.handle for one in found))
    return NOBODY


def draw_people(rng: random.Random) -> list[Person]:
    """Return people, some of one name; handles and aliases are different for each."""
    people = [Person(f"h{number}", rng.choice(NAMES), plays=rng.random() < 0.7) for number in range(7)]
    people.append(Person("eva", "Max Mann", ["Maxi"], plays=True))
    people[0].aliases = [rng.choice(("Evi", "Große Eva"))]
    for number in rng.sample(range(7), 3):
        people[number].fide = f"90{number}"
    return people


def store(people: list[Person]) -> League:
    """Write a league with these people, some of whom play."""
    league = make_league(players=())
    for one in people:
        add_player(one.handle, one.name, one.aliases, external_ids={"fide": one.fide} if one.fide else {})
    for handle, name in (("zed", "Zed Zedson"), ("yan", "Yan Yanson")):
        add_player(handle, name)
    record(league, sheet(("zed", "yan"), (1, 0)))
    for one in people:
        if one.plays:
            record(league, sheet((one.handle, "zed"), (1, 0)))
    make_competition(league)
    return league


def refused(problem: dict[str, Any]) -> Answer:
    """Return what the first error of a problem document says."""
    (error,) = [one for one in problem["errors"] if one["code"] in ("unknown_player", "ambiguous_player")]
    if error["code"] == "unknown_player":
        return NOBODY
    return "several", frozenset(one["handle"] for one in error["candidates"])


def one_of(handle: str) -> Answer:
    """Return that one player is meant."""
    return "one", frozenset({handle})


def newest_player() -> Answer:
    """Return who sits first in the newest game."""
    line = Result.objects.order_by("-game__number", "seat").select_related("player")[0]
    return one_of(line.player.handle)


def answer_of(answer: Any, read: Callable[[], Answer] = newest_player) -> Answer:
    """Return what an answer says: an error, or who was written."""
    if answer.status_code == 422:
        return refused(answer.data)
    assert answer.status_code in (200, 201), answer.content
    return read()


def entered() -> Answer:
    """Return who is the newest entry."""
    return one_of(EntryPlayer.objects.order_by("-pk")[0].player.handle)


def entered_first() -> Answer:
    """Return who is the newest competition's first entry."""
    lines = EntryPlayer.objects.order_by("-competition_id", "entry__number")
    return one_of(lines[0].player.handle)


def quoted(text: str) -> str:
    """Return a cell of CSV."""
    return '"' + text.replace('"', '""') + '"'


def ask_batch(api: Api, text: str, query: dict[str, Any]) -> Answer:
    """Send a batch of one game."""
    answer = api.post("leagues/club/games/batch/", [game((text, 1), ("zed", 0)) | query])
    line = json.loads(answer.content)
    return refused(line["problem"]) if "problem" in line else newest_player()


def ask_trf(api: Api, text: str, query: str) -> Answer:
    """Import a tournament report."""
    rows = [
        f"001 {number:4} m    {name:33} {'':4} {'':3} {'':11} {'':10}  0.0 {number:4}"
        for number, name in ((1, text), (2, "Zed Zedson"))
    ]
    body = "\r\n".join(["012 Report", "042 2024/03/06", "XXR 3", *rows, ""]).encode()
    return answer_of(
        api.post_file(f"leagues/club/competitions/import/?{query}", body, "application/x-trf"), entered_first
    )


def ask_rows(api: Api, text: str) -> Answer:
    """Ask for the rows of players."""
    data = api.client.get("/api/v1/leagues/club/players/", {"players": text}, headers=api.headers).json()
    if data["unknown"] or data["ambiguous"]:
        return NOBODY if data["unknown"] else ("several", frozenset())
    return one_of(data["results"][0]["player"])


def ask_preview(api: Api, text: str) -> Answer:
    """Ask what a game would change."""
    results = [{"player": text, "score": 1}, {"player": "zed", "score": 0}]
    answer = api.post("leagues/club/preview/", {"results": results})
    return answer_of(answer, lambda: one_of(answer.data["players"][0]["player"]))


def ask_paste(api: Api, text: str) -> Answer:
    """Ask whom a paste finds, and whom it offers; what is only similar is no answer."""
    found = resolve_names([text], league_of(), Viewer("x", "organise"))[text]
    if found.handle and found.how not in ("accents", "initial", "unique first name", "unique surname", "surname first"):
        return one_of(found.handle)
    return "offered", frozenset(one.handle for one in found.near)


def ask_pad(browser: Client, text: str) -> Answer:
    """Write a game on the score pad."""
    page = browser.post("/admin/leagues/club/record/", sheet_fields((text, "1"), ("zed", "0")))
    if page.status_code == 302:
        return newest_player()
    said = page_text(page)
    if "no player is called" in said:
        return NOBODY
    return "several", frozenset(re.findall(r"\w+", re.findall(r"is the name of \d players: ([\w, -]+)\.", said)[0]))


def ask_link(text: str) -> Answer:
    """Report a game by a table's private link, where only active players of the league can be meant."""
    page = Client().post(TABLE_PAGE, report_fields((text, "zed"), who="zed"))
    if page.status_code == 302:
        return one_of(Report.objects.latest("pk").sheet["results"][0]["player"])
    said = page_text(page)
    if "is not an active player of this league" in said:
        return NOBODY
    return "several", frozenset(re.findall(r"\w+", re.findall(r"is the name of \d players: ([\w, -]+)\.", said)[0]))


def ask_command(text: str) -> Answer:
    """Ask the command line for a player."""
    output = StringIO()
    try:
        call_command("player", "show", text, "--json", stdout=output)
    except CommandError as error:
        if "is the name of" not in str(error):
            return NOBODY
        return "several", frozenset(re.findall(r"\w+", str(error).partition("players: ")[2].partition(".")[0]))
    return one_of(json.loads(output.getvalue())["handle"])


WRITING: dict[str, Callable[[Api, str, bool], Answer]] = {
    "game": lambda api, text, new: answer_of(
        api.post("leagues/club/games/", game((text, 1), ("zed", 0)) | {"create_players": new})
    ),
    "batch": lambda api, text, new: ask_batch(api, text, {"create_players": new}),
    "csv": lambda api, text, new: answer_of(
        api.post_file(
            f"leagues/club/games/import/?create_players={str(new).lower()}",
            f"game_id,played_at,player,score\n1,2024-03-07,{quoted(text)},1\n1,2024-03-07,zed,0\n", "text/csv",
        )
    ),
    "ndjson": lambda api, text, new: answer_of(
        api.post_file(
            f"leagues/club/games/import/?create_players={str(new).lower()}",
            json.dumps(game((text, 1), ("zed", 0), external_id="1")) + "\n", "application/x-ndjson",
        )
    ),
    "entry": lambda api, text, new: answer_of(
        api.post("leagues/club/competitions/cup/entries/", {"player": text, "create_players": new}), entered
    ),
    "fixtures": lambda api, text, new: answer_of(
        api.post_file(
            f"leagues/club/competitions/import/?create_players={str(new).lower()}",
            f"round,player_1,player_2,starts\n1,{quoted(text)},zed,2024-03-07 19:00\n", "text/csv",
        ),
        entered_first,
    ),
    "trf": lambda api, text, new: ask_trf(api, text, f"create_players={str(new).lower()}"),
}  # fmt: skip


def undone(ask: Callable[[], Answer]) -> Answer:
    """Return an answer, and take back what was written."""
    with transaction.atomic():
        answer = ask()
        transaction.set_rollback(True)
    return answer


@long_way
@pytest.mark.parametrize("seed", range(examples(10)))
def test_a_text_means_the_same_player_on_every_face(seed: int) -> None:
    rng = random.Random(seed)
    people = draw_people(rng)
    store(people)
    api, everybody = Api("organise"), [*people, Person("zed", "Zed Zedson", plays=True)]
    for _time in range(4):
        one = rng.choice(people)
        base = rng.choice(
            [one.handle, one.name, one.name, *one.aliases, f"fide:{one.fide or '999'}", "Max", "Nobody Here"]
        )
        text = rng.choice(FORMS)(base)
        right = meant(text, everybody)
        for face, write in WRITING.items():
            assert undone(partial(write, api, text, False)) == right, (face, text)
        assert ask_preview(api, text) == right, text
        assert ask_rows(api, text) == (right if right[0] != "several" else ("several", frozenset())), text
        pasted = ask_paste(api, text)
        assert pasted == right or (pasted[0] == "offered" and right[0] != "one" and pasted[1] >= right[1]), text


@long_way
@pytest.mark.parametrize("seed", range(examples(10)))
def test_pads_links_and_commands_mean_the_same(seed: int) -> None:
    rng = random.Random(seed)
    people = draw_people(rng)
    league = store(people)
    change_league(league.pk, {"reporting": "by_link"}, username="olga")
    make_link(league.pk, TABLE, username="olga", name="Table 1")
    pad = sign_in_member("rolf", "recorder", league)
    everybody = [*people, Person("zed", "Zed Zedson", plays=True)]
    for one in rng.sample(people, 4):
        text = rng.choice(FORMS)(rng.choice([one.handle, one.name, *one.aliases, f"fide:{one.fide or '999'}"]))
        assert undone(partial(ask_pad, pad, text)) == meant(text, everybody), text
        # Who holds a link only reads: neither ids nor other spellings are told to them.
        read_only = [replace(one, aliases=[], fide="") for one in everybody if one.plays]
        assert undone(partial(ask_link, text)) == meant(text, read_only), text
        # The operator asks about no league, so nobody comes before others.
        of_no_league = [replace(one, plays=False) for one in everybody]
        assert ask_command(text) == meant(text, of_no_league), text


@pytest.mark.parametrize("face", WRITING)
def test_somebody_is_added_only_if_nobody_is_found(face: str) -> None:
    store([Person("m1", "Max Mann", plays=True), Person("m2", "Max Mann", plays=True), Person("e1", "Eva Solo")])
    api, before = Api("organise"), Player.objects.count()
    assert undone(lambda: WRITING[face](api, "Max Mann", True)) == ("several", frozenset({"m1", "m2"}))
    assert undone(lambda: WRITING[face](api, "Eva Solo", True)) == ("one", frozenset({"e1"}))
    assert Player.objects.count() == before
    kind, (handle,) = WRITING[face](api, "Nina Neu", True)
    added = Player.objects.get(handle=handle)
    assert (kind, added.name, Player.objects.count()) == ("one", "Nina Neu", before + 1)
    if face not in ("entry", "fixtures", "trf"):  # she is entered already, and the event is known
        assert undone(lambda: WRITING[face](api, "NINA  neu", True)) == ("one", frozenset({handle}))


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("face", WRITING)
@pytest.mark.parametrize("text", ["BYE", "Freilos", "wolny los", "--"])
def test_nobody_is_added_as_a_player_unless_a_player_is_called_so(face: str, text: str) -> None:
    store([])
    api, before = Api("organise"), Player.objects.count()
    if face == "fixtures":
        undone(lambda: WRITING[face](api, text, True))
    else:
        assert WRITING[face](api, text, True) == NOBODY
    assert Player.objects.count() == before
    if face != "fixtures":
        add_player("bb", text)
        assert WRITING[face](api, text, True) == ("one", frozenset({"bb"}))


@pytest.mark.parametrize("face", WRITING)
def test_who_is_added_by_an_id_has_it(face: str) -> None:
    """Nobody else can get it, and the id still means them under another name."""
    store([])
    api = Api("organise")
    kind, (handle,) = WRITING[face](api, "discord:4711", True)
    assert kind == "one"
    assert api.get("players/?external_id=discord:4711").data["results"][0]["handle"] == handle
    assert api.post("players/", {"handle": "x", "external_ids": {"discord": "4711"}}).status_code == 409
    assert api.patch("players/Discord:4711/", {"name": "Nina Neu", "aliases": []}).status_code == 200
    if face not in ("entry", "fixtures", "trf"):  # she is entered already, and the event is known
        assert undone(lambda: WRITING[face](api, "DISCORD:4711", True)) == one_of(handle)


def test_who_was_renamed_is_found_by_both_names_and_who_was_merged_by_theirs() -> None:
    league = make_league()
    api = Api("organise")
    api.post("leagues/club/games/", game(("Foo Bar", 1), ("ben", 0), create_players=True))
    assert api.patch("players/foo-bar/", {"name": "Foo Baz"}).status_code == 200
    for name in ("Foo Baz", "Foo Bar", "foo-bar"):
        assert find_one(name, league=league).player.handle == "foo-bar"
    merge_players(player_of("foo-bar"), player_of("anna"), username="olga")
    found = find_one("Foo Baz", league=league)
    assert (found.player.handle, found.original.handle) == ("anna", "foo-bar")


def test_the_sentence_of_an_unknown_name_proposes_similar_ones_and_of_several_all() -> None:
    store([Person("z1", "Zoë Quist", plays=True), Person("m1", "Max Mann", plays=True), Person("m2", "Max Mann")])
    api = Api("record")
    answer = api.post("leagues/club/games/", game(("Zoe Quist", 1), ("zed", 0)))
    (error,) = answer.data["errors"]
    assert error["similar"] == [{"handle": "z1", "name": "Zoë Quist"}]
    assert error["detail"] == "Seat 1: no player is called “Zoe Quist”. Similar names: Zoë Quist (z1)."
    record(league_of(), sheet(("m2", "zed"), (1, 0)))
    (error,) = api.post("leagues/club/games/", game(("zed", 1), ("Max Mann", 0))).data["errors"]
    assert error["pointer"] == "/results/1/player"
    assert error["candidates"] == [{"handle": "m1", "name": "Max Mann"}, {"handle": "m2", "name": "Max Mann"}]
    assert error["detail"] == "Seat 2: “Max Mann” is the name of 2 players: m1, m2. Enter the handle."


def report(*players: tuple[str, str], title: str = "Report") -> bytes:
    """Return a tournament report of players with FIDE's ids, who have not played yet."""
    rows = [
        f"001 {number:4} m    {name:33} {'':4} {'':3} {fide:>11} {'':10}  0.0 {number:4}"
        for number, (name, fide) in enumerate(players, start=1)
    ]
    return "\r\n".join([f"012 {title}", "042 2024/03/06", "XXR 3", *rows, ""]).encode()


def bring(data: bytes, query: str = "create_players=true") -> Any:
    """Import a tournament report as the site's administrator."""
    api = Api()
    api.client.force_login(User.objects.get_or_create(username="sara", is_superuser=True)[0])
    return api.post_file(f"leagues/club/competitions/import/?{query}", data, "application/x-trf")


def test_people_of_one_name_with_other_ids_are_other_people_in_one_file_and_in_two() -> None:
    make_league(players=())
    assert bring(report(("Ahrens, Ada", "9001"), ("Ahrens, Ada", "9002"), ("Bo", ""))).status_code == 201
    assert dict(ExternalId.objects.values_list("value", "player__name")) == {"9001": "Ada Ahrens", "9002": "Ada Ahrens"}
    assert Player.objects.count() == 3
    # The second file has one of them, under another name, and a third.
    assert bring(report(("Ahrens-Mo, A.", "9002"), ("Ahrens, Ada", "9003"), title="Second")).status_code == 201
    assert Player.objects.count() == 4
    again = bring(report(("Ahrens, Ada", "9004"), ("Bo", ""), title="Third"), "")
    assert (again.status_code, again.data["errors"][0]["code"]) == (422, "contradicting_id")
    assert {one["name"] for one in again.data["errors"][0]["candidates"]} == {"Ada Ahrens"}
    several = bring(report(("Ahrens, Ada", ""), ("Bo", ""), title="Fourth"))
    assert (several.status_code, several.data["errors"][0]["code"]) == (422, "ambiguous_player")
    assert Player.objects.count() == 4


def test_an_id_in_a_file_is_noted_so_that_the_next_file_tells_people_apart() -> None:
    make_league(players=())
    add_player("ada", "Ada Ahrens")
    assert bring(report(("Ahrens, Ada", "9001"), ("Bo", ""))).status_code == 201
    assert ExternalId.objects.get(value="9001").player.handle == "ada"
    assert bring(report(("Ahrens, Ada", "9002"), ("Bo", ""), title="Second")).status_code == 201
    assert ExternalId.objects.get(value="9002").player.handle != "ada"


def test_an_id_is_not_noted_of_somebody_who_plays_where_the_sender_is_nobody() -> None:
    _opened, closed = two_leagues()
    record(closed, sheet(("anna", "mata"), (1, 0), minutes=9))
    api = session("olga-owner")
    body = report(("Anna", "9001"), ("Ben", "9002"))
    assert api.post_file("leagues/open/competitions/import/", body, "application/x-trf").status_code == 201
    assert dict(ExternalId.objects.values_list("value", "player__handle")) == {"9002": "ben"}


def test_an_id_finds_somebody_whom_the_writer_may_not_see_and_a_name_does_not() -> None:
    two_leagues()
    change_player(player_of("mata"), external_ids={"fide": "4711"})
    api = session("olga-recorder")
    hidden = api.post("leagues/open/games/", game(("Mata Hari", 1), ("ben", 0)))
    assert (hidden.status_code, hidden.data["errors"][0]["code"]) == (422, "unknown_player")
    assert "similar" not in hidden.data["errors"][0]
    assert api.get("players/fide:4711/").status_code == 404
    assert Api().get("players/fide:4711/").status_code == 404
    made = api.post("leagues/open/games/", game(("fide:4711", 1), ("ben", 0)))
    assert made.data["results"][0]["player"] == "mata"


#: Where other leagues' people could find a player.
ADDRESSES = (
    "/api/v1/players/", "/api/v1/players/?search=Geheim", "/admin/league/player/", "/admin/league/player/?q=Geheim",
    "/admin/leagues/open/record/", "/admin/leagues/open/people/?q=Geheim", "/leagues/open/?q=Geheim",
)  # fmt: skip


@long_way
@pytest.mark.parametrize(
    "way", mark_slow(["page", "list", "entry", "api"], "The same addresses after another way.", but=["api"])
)
def test_who_was_added_in_a_private_league_is_hidden_from_others_before_the_first_game(way: str) -> None:
    two_leagues()
    owner = session("carl-owner")
    if way == "api":
        assert owner.post("players/", {"handle": "gp", "name": "Geheim Person"}).status_code == 201
    elif way == "entry":
        owner.post("leagues/closed/competitions/", {"slug": "cup", "title": "Cup", "format": "swiss", "status": "open"})
        entry = {"player": "Geheim Person", "create_players": True}
        assert owner.post("leagues/closed/competitions/cup/entries/", entry).status_code == 201
    else:
        browser = desk("carl-owner")
        address, fields = {
            "page": ("add/", {"name": "Geheim Person"}),
            "list": ("add/many/", {"names": "Geheim Person"}),
        }[way]
        page = browser.post(f"/admin/leagues/closed/people/{address}", fields)
        if way == "list":
            shown = re.search(r'name="_shown" value="(\w+)"', page.content.decode())
            assert shown, page.content
            browser.post(f"/admin/leagues/closed/people/{address}", fields | {"_add": "", "_shown": shown[1]})
    assert Player.objects.filter(name="Geheim Person").count() == 1, "the way adds a player"
    assert "Geheim Person" in desk("carl-owner").get("/admin/leagues/closed/people/").content.decode()
    outsiders = [Client(), *map(desk, ("otto", "olga-recorder", "olga-owner"))]
    for browser in outsiders:
        for address in ADDRESSES:
            assert "Geheim Person" not in browser.get(address).content.decode(), address
        assert browser.get("/api/v1/players/geheim-person/").status_code == 404
        assert browser.get("/admin/leagues/open/people/players/geheim-person/").status_code in (302, 403, 404)
    new = game(("Geheim Person", 1), ("ben", 0))
    assert session("olga-owner").post("leagues/open/games/", new).data["errors"][0]["code"] == "unknown_player"
    assert session("carl-recorder").post("leagues/closed/games/", new | {"results": [
        {"player": "Geheim Person", "score": 1}, {"player": "anna", "score": 0}]}).status_code == 201  # fmt: skip
