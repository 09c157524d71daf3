"""Every page and form of the desk: its address, the least role that may use it, and a form that writes."""

import zlib
from collections.abc import Callable
from datetime import UTC, date, datetime
from io import BytesIO
from typing import Any, NamedTuple
from unittest.mock import patch
from uuid import UUID

from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from PIL import Image

from league.apps.competitions.services.halls import create_hall
from league.apps.competitions.services.rounds import make_round, publish_round
from league.apps.competitions.services.seasons import create_season
from league.apps.rating_lists.models import ListedRow, RatingList
from league.apps.reports.services.entering import enter_report
from league.apps.reports.services.links import make_link
from league.core.accounts.services.members import set_member
from league.core.accounts.services.tokens import make_token
from league.core.fields.services.fields import NewField, declare_field
from league.core.leagues.services.adjustments import AdjustmentData, adjust
from league.core.leagues.services.contexts import NewContext, create_context
from league.core.leagues.services.leagues import adopt_rule, change_league
from league.core.permissions import load_viewer_of_user
from league.models import Game, Invitation, Job, JobPart, League, LogEntry, Player, Token
from tests.helpers.builders import make_league
from tests.helpers.competition_builders import make_competition, start
from tests.helpers.desk_client import dated_sheet as lines
from tests.helpers.desk_client import form_fields as filled
from tests.helpers.desk_games import yes_fields as yes
from tests.helpers.founding import first_step as given
from tests.helpers.founding import second_step as made_of
from tests.helpers.paste_builders import EVENING, fields, shown
from tests.helpers.report_builders import played
from tests.helpers.roles import HOOK_ID, ROLES, build_club, user_of

#: "stranger" owns another league.
DESK_ROLES = ("nobody", "stranger", *ROLES[1:])
DESK = "/admin/leagues/club/"
JOB_ID = UUID("0e3f7a52-6f0d-4f1c-9d3b-5b8d2f6f9a10")
#: What a form writes: told by the browser of somebody who may do all.
Form = Callable[[Client], dict[str, Any]]


class DeskPage(NamedTuple):
    """An address: who may open it at least, a form of it that writes, what stands in it, and who may write at least.

    Where nobody is named who writes, it is whoever opens it.
    """

    least: str
    form: Form | None = None
    args: tuple[Any, ...] = ("club",)
    writer: str = ""


def changed(number: int, what: str, **sheet: Any) -> Form:
    """Return the form that says yes on the confirming page of a game."""
    return lambda browser: yes(browser.post(f"{DESK}games/{number}/{what}/", sheet))


def pasted(browser: Client, text: str = EVENING.replace("5.3.", "5.6.")) -> dict[str, Any]:
    """Return the form that records a paste."""
    return {**fields(shown(browser, text)), "_record": ""}


def tried(browser: Client) -> dict[str, Any]:
    """Return the form that adopts a rule which was tried."""
    form = browser.get(f"{DESK}rules/").context["form"]
    data = {**{name: form[name].value() for name in form.fields}, "parameters_k": "40", "from_date": "2030-01-01"}
    return {**data, "_shown": browser.post(f"{DESK}rules/", data).context["mark"], "_commit": "1"}


def set_up(browser: Client) -> dict[str, Any]:
    """Return the form of the league's settings with another title."""
    form = browser.get(f"{DESK}settings/").context["form"]
    values = {name: form[name].value() for name in form.fields}
    return {**{name: value for name, value in values.items() if value not in (None, False)}, "min_games": "2"}


def settings_changed(browser: Client) -> dict[str, Any]:
    """Return the form of a competition's settings with another title."""
    return filled(browser.get(f"{DESK}competitions/swiss/settings/").context["form"], title="Β")


def entered_from_list(_browser: Client) -> dict[str, Any]:
    """Return the form that enters a person of a rating list, which is in use from now on."""
    day = datetime(2026, 11, 1, tzinfo=UTC)
    fide = RatingList.objects.create(provider="fide", title="FIDE", dated=day, state="current", loaded_at=day)
    ListedRow.objects.create(rating_list=fide, number="77", name="Roe, Jo", name_key=b"roe jo")
    return {"_enter": "fide:77", "kind": "standard"}


def parted(browser: Client) -> dict[str, Any]:
    """Return the form that splits a game off a player, tried and not done."""
    page = browser.post(f"{DESK}people/players/anna/split/", {"who": "Zora", "new": "on", "game": ["6"]})
    return {"who": "Zora", "new": "on", "game": ["6"], "seen": page.context["seen"], "reason": "Two.", "_commit": "yes"}


def joined(browser: Client) -> dict[str, Any]:
    """Return the form that takes back a split, which was just done."""
    browser.post(f"{DESK}people/players/anna/split/", parted(browser))
    page = browser.get(f"{DESK}people/splits/9/")
    choices = {f"becomes-{one}": "stand" for one in page.context["asked"]}
    return {"seen": page.context["seen"], "asked": page.context["asked"], "_commit": "yes", **choices}


def ladder_made(browser: Client) -> dict[str, Any]:
    """Return the form that makes a ladder."""
    form = browser.get(f"{DESK}new-ladder/?method=points").context["form"]
    return {**filled(form, title="Points of the year", cadence="year"), "method": "points", "_commit": "1"}


def ladder_ruled(browser: Client) -> dict[str, Any]:
    """Return the form that ranks a ladder otherwise."""
    form = browser.get(f"{DESK}ladders/month/rule/?method=points").context["form"]
    return {**filled(form, from_date="2031-01-01", parameters_win="3"), "method": "points", "_commit": "1"}


def ordered(browser: Client) -> dict[str, Any]:
    """Return the form that puts games of one time in another order, tried and not done."""
    browser.post(f"{DESK}record/", lines(("dan", 0), ("cleo", 1), played_at="2024-06-04T19:30"))
    page = browser.post(f"{DESK}games/6/order/", {"_down": "6", "_try": "1"})
    numbers = [str(game.number) for game, *_ in page.context["lines"]]
    return {"order": numbers, "seen": page.context["seen"], "_commit": "1"}


def said(**form: Any) -> Form:
    """Return a form as it stands."""
    return lambda browser: form


def amended(browser: Client) -> dict[str, Any]:
    """Return the sheet on which a report is put right, as it stands."""
    return {**lines(("anna", 1), ("ben", 0)), "seen": "waiting-0", "once": "e" * 32}


#: By this the dry run of a file is known, and the file itself.
TRIED = UUID(int=3)
FILE = b"game_id,played_at,player,score\nf1,2024-06-07,anna,1\nf1,2024-06-07,ben,0\n"


def brought(browser: Client) -> dict[str, Any]:
    """Return the form that brings a file."""
    return {"file": SimpleUploadedFile("games.csv", FILE)}


def pictured(browser: Client) -> dict[str, Any]:
    """Return the form that shows a picture in place of the drawn emblem."""
    file = BytesIO()
    Image.new("RGB", (64, 64), (255, 0, 0)).save(file, "PNG")
    return {"picture": SimpleUploadedFile("club.png", file.getvalue())}


def shown_already(browser: Client) -> dict[str, Any]:
    """Return the form that shows the drawn emblem again, where a picture stands."""
    browser.post(f"{DESK}settings/picture/", pictured(browser))
    return {}


MANY = f"{DESK}people/add/many/"


def many_added(browser: Client) -> dict[str, Any]:
    """Return the form that adds the players of a list which was shown."""
    names = "Zoe Quist\nUdo Berg"
    return {
        "names": names,
        # Not by a browser that reads what it is answered: the names are no player's yet.
        "_shown": getattr(browser, "client", browser).post(MANY, {"names": names}).context["mark"],
        "_add": "1",
    }


#: By these a link and a report are known.
LINK, REPORT = UUID(int=1), UUID(int=2)
#: By this the token of the owner is known.
TOKEN = 4711
SHEET = lines(("anna", 1), ("ben", 0), played_at="2024-06-05T19:30")
TURNED = lines(("dan", 0), ("ben", 1), played_at="2024-05-05T00:00")
MATRIX: dict[str, DeskPage] = {
    "home": DeskPage("recorder"),
    "games": DeskPage("recorder"),
    "log": DeskPage("recorder"),
    "jobs": DeskPage("recorder"),
    "change": DeskPage("recorder"),  # asked by POST, and nothing is written
    "pad": DeskPage("recorder", said(**SHEET)),
    "undo": DeskPage("recorder", said(), ("club", 8)),
    "correct": DeskPage("recorder", changed(3, "correct", **TURNED), ("club", 3)),
    "void": DeskPage("recorder", changed(3, "void"), ("club", 3)),
    "restore": DeskPage("recorder", changed(5, "restore"), ("club", 5)),
    "paste": DeskPage("recorder", pasted),
    "paste_undo": DeskPage("recorder", said(), ("club", "0" * 32)),
    "bring": DeskPage("recorder", brought),
    "tried": DeskPage("organiser", said(), ("club", TRIED)),  # its sender's, too
    "people": DeskPage("organiser"),
    "person": DeskPage("organiser", said(name="Annie", active="on"), ("club", "anna")),
    "split": DeskPage("organiser", parted, ("club", "anna")),
    "join": DeskPage("organiser", joined, ("club", 9)),
    "invite": DeskPage("organiser", said(role="recorder", note="Vera", once="a" * 32)),
    "withdraw": DeskPage("organiser", said(), ("club", 1)),
    "notices": DeskPage("recorder"),  # what a form of it writes is the sender's own
    "reports": DeskPage("recorder"),
    "links": DeskPage("recorder", said(name="Table 2", once="c" * 32)),
    "print_links": DeskPage("recorder", said(players="all", once="4" * 32)),
    "revoke": DeskPage("recorder", said(), ("club", LINK)),
    "report": DeskPage("recorder", said(_say="record", seen="waiting-0", once="d" * 32), ("club", REPORT)),
    "amend": DeskPage("recorder", amended, ("club", REPORT)),
    "ladders": DeskPage("organiser"),
    "new_ladder": DeskPage("organiser", ladder_made),
    "ladder": DeskPage("organiser", said(**{"title": "Other", "initial-title": "Month"}), ("club", "month")),
    "ladder_rule": DeskPage("organiser", ladder_ruled, ("club", "month")),
    "period": DeskPage("organiser", said(act="carry", reason="Prizes."), ("club", "month", "2024-03")),
    "decisions": DeskPage("organiser", said(decision="carry", reason="Prizes.")),
    "order": DeskPage("recorder", ordered, ("club", 6)),
    "merge": DeskPage("organiser", said(into="anna", _commit="1"), ("club", "dan")),
    "forget": DeskPage("organiser", said(handle="dan", once="2" * 32), ("club", "dan")),
    "known": DeskPage("organiser", None, ("club", "anna")),
    "erase": DeskPage("organiser", said()),  # the position of an entry with words
    "unmerge": DeskPage("organiser", said(_commit="1"), ("club", "eva")),
    "starts": DeskPage("organiser", said(player="anna", initial_rating="1700", _commit="1")),
    "adjustments": DeskPage("organiser", said(player="anna", amount="-5", reason="\u0391", _commit="1")),
    "void_adjustment": DeskPage("organiser", said(reason="\u0391"), ("club", 1)),
    "contexts": DeskPage("organiser", said(title="\u0391b", slug="ab", start="own", system="")),
    "context": DeskPage("organiser", said(title="\u0391", start="own", system=""), ("club", "duels")),
    "remove_context": DeskPage("organiser", said(), ("club", "duels")),
    "fields": DeskPage("organiser", said(title="\u0391b", key="ab", of="game", type="text", visible="all")),
    "field": DeskPage("organiser", said(title="\u0391", choices="dust\nnuke"), ("club", "map")),
    "player_values": DeskPage("organiser", said(fields_club="\u0391"), ("club", "anna")),
    "tokens": DeskPage("owner", said(name="\u0391", scope="record")),
    "revoke_token": DeskPage("owner", said(), ("club", TOKEN)),
    "webhooks": DeskPage("owner", said(url="https://club.example/other")),
    "webhook": DeskPage("owner", said(_do="pause"), ("club", HOOK_ID)),
    "job": DeskPage("recorder", None, ("club", JOB_ID)),
    "cancel": DeskPage("recorder", said(), ("club", JOB_ID), "organiser"),  # recorders: what they asked for themselves
    "check": DeskPage("organiser", said()),
    "replay": DeskPage("organiser", said(once="f" * 32)),
    "add_player": DeskPage("organiser", said(name="Zoe Quist", once="1" * 32)),
    "add_players": DeskPage("organiser", many_added),
    "settings": DeskPage("organiser", set_up, ("club",), "owner"),
    "delete_league": DeskPage("owner"),  # refused of a league with games: test_deleting_leagues
    "picture": DeskPage("owner", pictured),
    "drawn_again": DeskPage("owner", shown_already),
    "rules": DeskPage("organiser", tried),
    "laboratory": DeskPage("organiser", said(system_1="elo", warm_up="20", draws="60", once="3" * 32)),
    "second_board": DeskPage("organiser", said(system="glicko2")),
    "withdraw_rule": DeskPage("organiser", said(**{"from": "2031-01-01"})),
    "member": DeskPage("owner", said(user="rita", role="organiser")),
    "password": DeskPage("owner"),  # makes a link, and writes nothing
    "found": DeskPage("staff", lambda browser: made_of(browser.post(reverse("desk:found"), given()), make="1"), ()),
}
#: The least role that runs competitions.
ARBITER = "arbiter" if "arbiter" in ROLES else "organiser"
MATRIX |= {
    "competitions": DeskPage("recorder"),
    "new_competition": DeskPage(ARBITER, said(title="Γ", slug="cup", template="swiss", rated="yes", once="5" * 32)),
    "import_competition": DeskPage(
        ARBITER,
        said(
            title="ΑΒ",
            text="round,player_1,player_2\n1,finn,greta",
            **{"import": "yes"},
            create_players="on",
            once="6" * 32,
        ),
    ),
    "competition": DeskPage("recorder", said(step="undo", round="1"), ("club", "swiss"), ARBITER),
    "competition_settings": DeskPage(ARBITER, settings_changed, ("club", "swiss")),
    "prizes": DeskPage(
        ARBITER,
        said(prizes="5", sharing="place", **{"category-TOTAL_FORMS": "0", "category-INITIAL_FORMS": "0"}),
        ("club", "swiss"),
    ),
    "competition_changes": DeskPage("recorder", None, ("club", "swiss")),
    "listed_people": DeskPage(ARBITER, entered_from_list, ("club", "swiss")),
    "entries": DeskPage(ARBITER, said(player=["dan"], _add="1"), ("club", "swiss")),
    "entry": DeskPage(ARBITER, said(title="Α"), ("club", "swiss", 1)),
    "exchange_number": DeskPage(ARBITER, said(other="2", reason="Γ"), ("club", "swiss", 1)),
    "check_in": DeskPage(ARBITER, said(entry=["1"]), ("club", "swiss")),
    "fixture": DeskPage("recorder", said(quick="1-0"), ("club", "swiss", 1)),
    "new_fixture": DeskPage(ARBITER, said(seat_1="1", seat_2="2"), ("club", "free")),
    "new_season": DeskPage(ARBITER, said(title="Γ", preset="boxes", size="4", moving="1", once="7" * 32)),
    "season": DeskPage("recorder", said(step="enter", players="dan"), ("club", "may"), ARBITER),
    "new_hall": DeskPage(
        ARBITER,
        said(
            title="Γ",
            once="9" * 32,
            **{
                "rooms-TOTAL_FORMS": "1",
                "rooms-INITIAL_FORMS": "0",
                "rooms-0-first": "1",
                "rooms-0-last": "4",
            },
        ),
    ),
    "hall": DeskPage(ARBITER, said(step="remove"), ("club", "town")),
    "print_hall": DeskPage(ARBITER, None, ("club", "town")),
    "print_hall_names": DeskPage(ARBITER, None, ("club", "town")),
    "print_round": DeskPage("recorder", None, ("club", "swiss", "slips")),
}
#: What is everybody's: a script without secrets.
OPEN = {"worker"}


def build_desk() -> None:
    """Make the club with what each form needs, and a league of somebody else."""
    league = build_club()
    make_league(slug="other")
    User.objects.create_user("stan")
    set_member(League.objects.get(slug="other").pk, "stan", "owner")
    adopt_rule(league.pk, "elo", {"k": 10}, date(2031, 1, 1), username="olga")
    change_league(league.pk, {"reporting": "by_link"})
    with patch("league.apps.reports.services.writing.uuid4", side_effect=(LINK, REPORT)):
        make_link(league.pk, "secret", username="olga", player=Player.objects.get(handle="anna"))
        enter_report("secret", played(), key="k")
    points = AdjustmentData(5, "Tidied up.", datetime(2024, 6, 1, tzinfo=UTC))
    adjust(league.pk, Player.objects.get(handle="anna"), points, username="olga")
    declare_field(league.pk, NewField("map", "Map", "game", "choice", ["dust"]), username="olga")
    declare_field(league.pk, NewField("club", "Club", "player", "text"), username="olga")
    create_context(league.pk, NewContext("duels", "Duels", {"sides": 2}), username="olga")
    token, _ = make_token("\u0392", "read", maker=load_viewer_of_user(user_of("owner")))
    Token.objects.filter(pk=token.pk).update(id=TOKEN)
    sara = signed_in("staff")
    sara.post(f"{DESK}record/", {**SHEET, "played_at": "2024-06-04T19:30"})
    assert Game.objects.latest("number").number == 6
    sara.post(f"{DESK}people/invite/", {"role": "recorder", "note": "Otto", "once": "b" * 32})
    Job.objects.create(pk=JOB_ID, league=league, kind="import", asked_by="olga", asked_at=timezone.now())
    kept = {"media": "csv", "create_players": False, "dry_run": True, "lines": 3, "keep": True, "small": True}
    own = {"state": "done", "arguments": kept, "result": {"games": 1}}
    tried = Job.objects.create(pk=TRIED, league=league, kind="import", asked_at=timezone.now(), **own)
    JobPart.objects.create(league=league, job=tried, number=1, data=zlib.compress(FILE))
    data = pasted(sara, EVENING.replace("5.3.", "6.6."))
    sara.post(f"{DESK}paste/", {**data, "once": "0" * 32})
    for slug in ("swiss", "free"):
        make_competition(league, slug, slug, title="Α", rounds=3 if slug == "swiss" else None)
        start(league, ("anna", "cleo", "finn"), slug=slug)
    make_round(league.pk, "swiss", by="olga")
    publish_round(league.pk, "swiss", 1, by="olga")
    create_season(league.pk, "may", {"title": "Α", "rule": {"series": {}}, "status": "open"}, by="olga")
    create_hall(league.pk, "town", {"title": "Α", "rooms": [{"first": 1, "last": 4}]}, by="olga")


def signed_in(role: str) -> Client:
    """Return the browser of a role."""
    browser = Client()
    browser.force_login(User.objects.get(username="stan") if role == "stranger" else user_of(role))
    return browser


def desk_address(name: str, page: DeskPage) -> str:
    """Return the address of a page; of invitations the one that is there, of words in the log the first ones."""
    args = ("club", Invitation.objects.get().pk) if name == "withdraw" else page.args
    if name == "erase":
        sealed = LogEntry.objects.filter(league__slug="club", payload__contains='"sealed"')
        args = ("club", sealed.order_by("position")[0].position)
    return reverse(f"desk:{name}", args=args)
