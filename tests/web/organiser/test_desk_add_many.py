"""Players are added at the desk, one or many: whoever may be meant is shown first; all is written or nothing."""

from datetime import date
from typing import Any

import pytest
from django.test import Client

from league.core.errors import Invalid
from league.core.leagues.services.leagues import adopt_rule
from league.core.permissions import ANONYMOUS
from league.core.players.services.players import add_player, add_players_to_league
from league.core.verify.run import verify_league
from league.models import InitialRating, League, LogEntry, Membership, Player
from league.web.organiser import add_players as add_many
from league.web.organiser.add_players import parse_names
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import ONCE_KEY, page_messages, page_text, sign_in_member
from tests.helpers.ladder_builders import tables
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db

PEOPLE = "/admin/leagues/club/people/"
ADD, MANY = f"{PEOPLE}add/", f"{PEOPLE}add/many/"


@pytest.fixture
def omar() -> Client:
    """Return the browser of the organiser of a league in which Vera Novak and Ben played."""
    league = make_league(players=("ben",))
    add_player("vera", "Vera Novak", ["Verica"])
    record(league, sheet(("vera", "ben"), (1, 0)))
    return sign_in_member("omar", Membership.Role.ORGANISER, league)


def shown(browser: Client, names: str, **more: Any) -> Any:
    """Return the page that shows what a list means."""
    return browser.post(MANY, {"names": names, **more})


def added(browser: Client, names: str, **more: Any) -> Any:
    """Add the players of a list that was shown."""
    mark = shown(browser, names, **more).context["mark"]
    return browser.post(MANY, {"names": names, **more, "_shown": mark, "_add": "1"}, follow=True)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Anna Berg\nBen\n", [(1, "Anna Berg"), (2, "Ben")]),
        ("Anna  Berg, Ben;Cleo\tDan", [(1, "Anna Berg"), (1, "Ben"), (1, "Cleo"), (1, "Dan")]),
        ("\r\n 1. Anna\r\n2) Ben\r\n- Cleo\r\n• Dan", [(2, "Anna"), (3, "Ben"), (4, "Cleo"), (5, "Dan")]),
        ("Jean-Luc, -Ben, 3rd Man, 4.Cleo", [(1, "Jean-Luc"), (1, "-Ben"), (1, "3rd Man"), (1, "Cleo")]),
        ("(1) Anna\n#2 Ben\n----\n3.Cleo", [(1, "Anna"), (2, "Ben"), (4, "Cleo")]),
        (" ,; \n\t", []),
    ],
)
def test_a_list_is_read_by_lines_and_separators(text: str, names: list[tuple[int, str]]) -> None:
    assert list(parse_names(text)) == names


def test_what_a_list_means_is_shown_and_nothing_is_written(omar: Client) -> None:
    before = tables()
    assert omar.get(MANY).context["read"] is None
    text = "Zoë Quist\nVera Nowak\nVERICA\nzoë quist\nQuist Zoe\nUdo Berg"
    read = shown(omar, text).context["read"]
    assert [(one.name, handle) for one, handle in read.new] == [("Zoë Quist", "zoe-quist"), ("Udo Berg", "udo-berg")]
    doubts = [
        (one.line, [(near.player.handle, why) for near, why in one.near], [(*other, why) for other, why in one.alike])
        for one in read.doubtful
    ]
    assert doubts == [
        (2, [("vera", "one letter apart")], []),
        (3, [("vera", "found by this name")], []),
        (5, [], [(1, "Zoë Quist", "the same name")]),
    ]
    assert [(other.line, first) for other, first in read.again] == [(4, 1)]
    assert tables() == before


@long_way
def test_new_and_ticked_names_are_added_once_under_the_handles_that_were_shown(omar: Client) -> None:
    text, ticked = "Vera Novak\nZoë Quist\nBen Ö\nVera Nowak", ["Vera Novak"]
    handles = shown(omar, text, new=ticked).context["read"].handles
    mark = shown(omar, text).context["mark"]
    sent = {"names": text, "new": ticked, "once": ONCE_KEY, "_shown": mark, "_add": "1"}
    for _ in range(2):
        done = omar.post(MANY, sent, follow=True)
        assert done.redirect_chain == [(PEOPLE, 302)]
        assert page_messages(done).startswith("3 players were added and can be chosen on the score pad.")
    players = dict(Player.objects.exclude(handle__in=("ben", "vera")).values_list("name", "handle"))
    assert players == {name: handles[name] for name in ("Vera Novak", "Zoë Quist", "Ben Ö")}
    assert players == {"Vera Novak": "vera-novak", "Zoë Quist": "zoe-quist", "Ben Ö": "ben-o"}
    spelled = Player.objects.get(aliases__text="Zoë Quist")
    assert (spelled.handle, spelled.active) == ("zoe-quist", True)
    assert not LogEntry.objects.filter(kind="initial_rating.set").exists()
    refused = added(omar, "Pia Quist", once=ONCE_KEY)
    assert refused.context["form"].non_field_errors()
    assert not Player.objects.filter(name="Pia Quist").exists()


def test_a_name_that_leads_to_a_player_leads_there_still(omar: Client) -> None:
    assert "1 player was added" in page_messages(added(omar, "Verica", new="Verica"))
    assert Player.objects.get(aliases__key="verica").handle == "vera"
    assert Player.objects.get(name="Verica").handle == "Verica-2"


@long_way
def test_what_was_not_shown_is_shown_first(omar: Client) -> None:
    mark = shown(omar, "Zoe Quist").context["mark"]
    before = tables("RequestKey")
    for changed in ({"names": "Zoe Quist\nUdo Berg"}, {"names": "Zoe Quist", "initial_rating": "1600"}):
        page = omar.post(MANY, {**changed, "_shown": mark, "_add": "1"})
        assert len(page.context["form"].non_field_errors()) == 1
    assert omar.post(MANY, {"names": "Zoe Quist", "_add": "1"}).status_code == 200
    assert tables("RequestKey") == before
    add_player("zoe", "Zoe Kvist")
    page = omar.post(MANY, {"names": "Zoe Quist", "_shown": mark, "_add": "1"})
    assert page.status_code == 302, "two letters apart are two names"
    mark = shown(omar, "Pia Quist\nUdo Berg").context["mark"]
    add_player("pia", "Pia Qvist")
    page = omar.post(MANY, {"names": "Pia Quist\nUdo Berg", "_shown": mark, "_add": "1"})
    assert [one.name for one in page.context["read"].doubtful] == ["Pia Quist"]
    assert not Player.objects.filter(name__in=["Pia Quist", "Udo Berg"]).exists()


@long_way
def test_a_start_is_that_of_all_and_stands_in_the_log(omar: Client) -> None:
    assert "They start at 1725.5." in page_messages(added(omar, "Zoe Quist\nUdo Berg", initial_rating="1725.5"))
    starts = InitialRating.objects.order_by("player__handle").values_list("player__handle", "rating")
    assert list(starts) == [("udo-berg", 1725.5), ("zoe-quist", 1725.5)]
    entries = LogEntry.objects.filter(kind="initial_rating.set", by="omar")
    assert entries.count() == 2
    record(League.objects.get(), sheet(("zoe-quist", "ben"), (1, 0)))
    assert verify_league(League.objects.get().pk).differences == []


@long_way
def test_what_cannot_be_added_is_refused_with_its_line_and_nothing_is_written(omar: Client) -> None:
    before = tables("RequestKey")
    refusals: list[tuple[dict[str, str], str, list[str]]] = [
        ({"names": " ,\n"}, "names", ["Enter at least one name."]),
        ({"names": ""}, "names", ["Enter at least one name."]),
        (
            {"names": f"\n Zoe\n\nU\u200bdo, Ben\n{'x' * 121}"},
            "names",
            ["Line 4: A name must not contain", "Line 5: A name has at most 120 characters; this one has 121."],
        ),
        ({"names": "Zoe", "initial_rating": "much"}, "initial_rating", [""]),
        ({"names": "Zoe", "initial_rating": "1e9"}, "initial_rating", ["Elo allows ratings from"]),
        ({"names": "Vera Novak"}, "__all__", ["No name on this list is new."]),
    ]
    for given, field, said in refusals:
        mark = shown(omar, **given).context["mark"]
        page = omar.post(MANY, {**given, "_shown": mark, "_add": "1"})
        errors = page.context["form"].errors[field]
        assert [error.startswith(start) for error, start in zip(errors, said, strict=True)] == [True] * len(said)
        assert page.context["form"]["names"].value() == given["names"]
    assert tables("RequestKey") == before


def test_too_many_names_are_refused(omar: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(add_many, "MAX_NAMES", 2)
    assert shown(omar, "A, B").context["read"] is not None
    assert shown(omar, "A, B, C").context["form"].errors["names"] == [
        "You can add at most 2 names at once; this list has 3."
    ]


@long_way
def test_a_list_reveals_nobody_of_a_private_league(omar: Client) -> None:
    hidden = make_league(slug="hidden", players=("ben",), visibility="private")
    add_player("mata", "Mata Hari", ["Margaretha"])
    record(hidden, sheet(("mata", "ben"), (1, 0)))
    assert shown(omar, "Mata Hary\nMargaretha").context["read"].doubtful == []
    assert "2 players were added" in page_messages(added(omar, "Mata Hary\nMargaretha"))
    assert Player.objects.get(aliases__text="Margaretha").handle == "mata"


def test_the_service_refuses_a_name_by_its_place_and_adds_none() -> None:
    league = make_league()
    before = tables()
    with pytest.raises(Invalid) as refused:
        add_players_to_league(league.pk, ["Zoe", " ", "x" * 121], viewer=ANONYMOUS)
    assert [(one.pointer, one.code) for one in refused.value.problems] == [
        ("/names/1", "invalid"), ("/names/2", "invalid"),
    ]  # fmt: skip
    assert tables() == before


@long_way
def test_a_league_without_a_rule_asks_for_no_start(omar: Client) -> None:
    League.objects.get().rules.all().delete()
    for address in (ADD, MANY):
        assert "initial_rating" not in omar.get(address).context["form"].fields
    assert "was added" in page_messages(omar.post(ADD, {"name": "Udo Berg"}, follow=True))
    assert "1 player was added" in page_messages(added(omar, "Zoe Quist"))


def test_a_start_is_asked_for_in_the_units_of_the_system_in_force(omar: Client) -> None:
    adopt_rule(League.objects.get().pk, "trueskill", {}, date(2024, 4, 1), username="test")
    assert "TrueSkill" in omar.get(MANY).context["form"].fields["initial_rating"].help_text


@long_way
def test_many_names_take_as_many_queries_as_few(omar: Client, django_assert_max_num_queries: Any) -> None:
    text = "\n".join(f"Person {chr(65 + one % 26)}{chr(97 + one // 26)}xyz" for one in range(60))
    with django_assert_max_num_queries(30):
        mark = shown(omar, text, initial_rating="1500").context["mark"]
    ticked = shown(omar, text).context["read"].doubtful
    with django_assert_max_num_queries(45):
        sent = {"names": text, "initial_rating": "1500", "new": [one.name for one in ticked], "_shown": mark}
        assert omar.post(MANY, {**sent, "_add": "1"}).status_code == 302
    assert InitialRating.objects.count() == 60


def near(page: Any) -> list[tuple[str, str]]:
    """Return whom a page takes for perhaps meant, and why."""
    return [(line.player.handle, why) for line, why in page.context["near"]]


@long_way
def test_a_player_is_added_once_by_a_name_alone(omar: Client) -> None:
    assert f'href="{ADD}"' in omar.get(PEOPLE).content.decode()
    assert "Add a player" in page_text(omar.get(ADD))
    sent = {"name": "Zoë  Quist", "handle": "", "initial_rating": "", "once": ONCE_KEY}
    done = omar.post(ADD, sent, follow=True)
    assert done.redirect_chain == [(PEOPLE, 302)]
    assert page_messages(done).startswith("Zoë Quist (zoe-quist) was added and can be chosen on the score pad.")
    assert page_messages(omar.post(ADD, {**sent, "_sure": "1"}, follow=True)) == page_messages(done)
    assert "already been submitted with other contents" in page_text(
        omar.post(ADD, {**sent, "name": "Udo Quist", "_sure": "1"})
    )
    player = Player.objects.get(handle="zoe-quist")
    assert (player.name, player.active) == ("Zoë Quist", True)
    assert set(player.aliases.values_list("text", flat=True)) == {"Zoë  Quist", "zoe-quist"}
    assert Player.objects.count() == 3
    assert "Zoë Quist" in omar.get("/admin/leagues/club/record/").content.decode()


@long_way
def test_whoever_may_be_meant_is_shown_before_anything_is_written(omar: Client) -> None:
    before = tables()
    for name, why in (
        ("Vera Novák", "the same name"),
        ("Novak Vera", "the same name"),
        ("Vera Novak", "the same name"),
        ("Vera Nowak", "one letter apart"),
        ("VERICA", "found by this name"),
        ("vera", "found by this name"),
    ):
        page = omar.post(ADD, {"name": name})
        assert near(page) == [("vera", why)], name
        assert "Is it one of these players?" in page_text(page)
        assert "Vera Novak vera, 1 game here" in page_text(page)
        assert page.context["form"]["name"].value() == name
    assert tables() == before
    done = omar.post(ADD, {"name": "VERICA", "handle": "vera.2", "_sure": "1"}, follow=True)
    assert page_messages(done).startswith("VERICA (vera.2) was added")
    # A spelling that leads to somebody leads there still.
    assert Player.objects.get(aliases__text="Verica").handle == "vera"


@long_way
def test_the_start_of_one_is_set_with_them_and_stands_in_the_log(omar: Client) -> None:
    done = omar.post(ADD, {"name": "Zoe Quist", "initial_rating": "1725.5"}, follow=True)
    assert "They start at 1725.5." in page_messages(done)
    start = InitialRating.objects.get()
    assert (start.player.handle, start.rating) == ("zoe-quist", 1725.5)
    assert LogEntry.objects.latest("pk").kind == "initial_rating.set"
    assert LogEntry.objects.latest("pk").by == "omar"
    assert "zoe-quist" in omar.get(PEOPLE).content.decode()
    assert omar.get(f"{PEOPLE}players/zoe-quist/").status_code == 200
    assert verify_league(League.objects.get().pk).differences == []


@long_way
def test_who_cannot_be_added_is_refused_at_the_field_and_nothing_is_written(omar: Client) -> None:
    before = tables("RequestKey")
    for given, field, said in (
        ({"name": " "}, "name", "Enter a name."),
        ({"name": "Zo\u200be"}, "name", "A name must not contain control or invisible characters."),
        ({"name": "Zoe", "handle": "zo e"}, "handle", "A handle has 1 to 64 letters"),
        ({"name": "Zoe", "handle": "BEN"}, "handle", "“BEN” already means Ben (ben)."),
        ({"name": "Zoe", "initial_rating": "1e9"}, "initial_rating", "allows ratings from"),
        ({"name": "Zoe", "initial_rating": "much"}, "initial_rating", ""),
    ):
        page = omar.post(ADD, given)
        assert "No player was added." in page_text(page), given
        assert said in " ".join(page.context["form"].errors[field])
        assert page.context["form"][field].value() == given[field]
    assert tables("RequestKey") == before


@long_way
def test_nobody_of_a_private_league_is_told_by_a_name_like_theirs(omar: Client) -> None:
    hidden = make_league(slug="hidden", players=("ben",), visibility="private")
    add_player("mata", "Mata Hari", ["Margaretha"])
    record(hidden, sheet(("mata", "ben"), (1, 0)))
    for name in ("Mata Hary", "Margaretha"):
        before = Player.objects.count()
        done = omar.post(ADD, {"name": name}, follow=True)
        assert page_messages(done).startswith(name)
        assert Player.objects.count() == before + 1
    refused = omar.post(ADD, {"name": "Greta", "handle": "mata"})
    assert refused.context["form"].errors["handle"] == ["“mata” is taken."]
    League.objects.filter(slug="club").update(visibility="private")
    assert "This league is private." in page_text(omar.get(ADD))
