"""Score sheets on the admin site: what nobody touched stays, and each sentence stands where it belongs."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from league.models import Game
from league.services.accounts.members import set_member
from league.services.players.players import add_player
from league.services.recording.game_input import NewGame
from tests.helpers.admin_client import confirm
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import ADD_SHEET

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.slow("Classic admin pages; the desk's tests hold their services."),
]


def shown(page: Any) -> dict[str, str]:
    """Return a sheet as the browser would send it back with nothing touched."""
    forms = [page.context["sheet"].form, page.context["sheet"].formset.management_form]
    data: dict[str, str] = {}
    for form in [*forms, *page.context["sheet"].formset.forms]:
        for field in form:
            value = field.field.widget.format_value(field.value())
            value = "" if value is None else value[0] if isinstance(value, list) else str(value)
            # A textarea sends its line breaks as two signs; a field of one line loses them.
            textarea = "<textarea" in str(field)
            data[field.html_name] = value.replace("\n", "\r\n") if textarea else value.replace("\n", "")
    return data


def correct(client: Client, game: Game, **changes: str) -> Game:
    """Correct a game on its sheet, with only these fields touched; returns the game in its place."""
    address = f"/admin/league/game/{game.pk}/correct/"
    answer = confirm(client, address, {**shown(client.get(address)), "reason": "misread", **changes})
    assert answer.status_code == 302, [answer.context["sheet"].form.errors, answer.context["sheet"].formset.errors]
    return Game.objects.get(replaces=game)


def facts(game: Game) -> dict[str, Any]:
    """Return everything that a game says, but its number and who wrote it."""
    results = list(game.results.order_by("seat").values_list("player__handle", "score", "place"))
    names = ("played_at", "kind", "external_id", "details", "note")
    return {**{name: getattr(game, name) for name in names}, "results": results}


THREE = ("anna", "ben", "cleo")
TO_THE_SECOND = datetime(2024, 3, 5, 19, 30, 45, 120000, tzinfo=UTC)
GAMES: dict[str, tuple[str, NewGame]] = {
    "a time with seconds": ("elo", sheet(("anna", "ben"), (1, 0), played_at=TO_THE_SECOND)),
    "places beside scores": ("preferans", sheet(THREE, (10, 20, -30), (2, 1, 3), details={"bula": 30})),
    "places where none are asked for": ("serpentine", sheet(THREE, (10, 20, 30), (3, 2, 1))),
    "scores where none are needed": ("durak", sheet(THREE, (1, 2, 3), (1, 2, 3))),
    "a forfeit": ("preferans", sheet(THREE, (1, 0, 0), kind="forfeit")),
    "a forfeit with figures of its own": ("elo", sheet(("anna", "ben"), (1, 0), kind="forfeit", details={"move": 12})),
    "a bye": ("barbu", sheet(("anna",), (0.5,), kind="half_bye", external_id="r1/7")),
    "a note of two lines": ("elo", sheet(("anna", "ben"), (1, 0), note="late\nstart ")),
    "a score of many digits": ("elo", sheet(("anna", "ben"), (0.1 + 0.2, -1e-9))),
    "five at the table": ("elo", sheet(("anna", "ben", "cleo", "dan", "eva"), places=(1, 2, 2, 4, 5))),
}


@pytest.mark.parametrize("case", GAMES)
def test_a_correction_changes_only_what_somebody_touched(olga: Client, case: str) -> None:
    system, new = GAMES[case]
    league = make_league(system, ("anna", "ben", "cleo", "dan", "eva"))
    game = record(league, new)
    before = facts(game)
    assert facts(correct(olga, game)) == before


def test_a_corrected_score_leaves_the_game_where_it_stood(olga: Client) -> None:
    league = make_league()
    first = record(league, sheet(("anna", "ben"), (1, 0), played_at=datetime(2024, 3, 5, 19, 30, 45, tzinfo=UTC)))
    record(league, sheet(("anna", "ben"), (1, 0), played_at=datetime(2024, 3, 5, 19, 30, 50, tzinfo=UTC)))
    again = correct(olga, first, **{"seats-0-score": "3", "played_at": ""})
    assert (again.played_at, again.results.get(seat=1).score) == (first.played_at, 3.0)
    moved = correct(olga, again, played_at="2024-03-05T20:31")
    assert moved.played_at == datetime(2024, 3, 5, 20, 31, tzinfo=UTC)


def test_the_sheet_says_what_an_empty_time_means(olga: Client) -> None:
    game = record(make_league(), sheet(("anna", "ben"), (1, 0)))
    assert "empty: now." in olga.get("/admin/league/game/add/?league=club").content.decode()
    assert "empty: as it was." in olga.get(f"/admin/league/game/{game.pk}/correct/").content.decode()


#: In Belgrade the clock showed 02:30 twice on that night: at 00:30 and at 01:30 UTC.
FIRST, SECOND = datetime(2024, 10, 27, 0, 30, 12, tzinfo=UTC), datetime(2024, 10, 27, 1, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize("played_at", [FIRST, SECOND])
def test_a_game_of_the_hour_that_was_there_twice_is_corrected_where_it_stood(olga: Client, played_at: datetime) -> None:
    league = make_league(time_zone="Europe/Belgrade")
    game = record(league, sheet(("anna", "ben"), (1, 0), played_at=played_at))
    assert correct(olga, game, **{"seats-0-score": "3"}).played_at == played_at


def test_a_game_of_the_hour_that_was_there_twice_is_moved_to_the_other(olga: Client) -> None:
    game = record(make_league(time_zone="Europe/Belgrade"), sheet(("anna", "ben"), (1, 0), played_at=FIRST))
    assert correct(olga, game, turn="1").played_at == SECOND.replace(second=0)


def test_a_sheet_asks_which_of_two_hours_it_was(olga: Client) -> None:
    make_league(time_zone="Europe/Belgrade")
    address = "/admin/league/game/add/?league=club"
    page = olga.get(address)
    assert "Which hour" not in page.content.decode()
    filled = {**shown(page), "seats-0-player": "anna", "seats-0-score": "1", "seats-1-player": "ben"}
    filled |= {"seats-1-score": "0", "played_at": "2024-10-27T02:30"}
    refused = olga.post(address, filled)
    assert refused.context["sheet"].form.errors == {
        "turn": ["The clock showed this time twice: say which hour it was."]
    }
    assert "Which hour" in refused.content.decode()
    done = olga.post(address, {**filled, "turn": "1", "_addanother": "1"})
    assert Game.objects.get().played_at == SECOND.replace(second=0)
    assert olga.get(done["Location"]).context["sheet"].form["turn"].value() == "1"


def test_a_time_that_no_clock_showed_is_refused(olga: Client) -> None:
    make_league(time_zone="Europe/Belgrade")
    page = olga.post("/admin/league/game/add/?league=club", {"played_at": "2024-03-31T02:30"})
    assert page.context["sheet"].form.errors["played_at"] == [
        "The clock never showed this time: it was put forward over it."
    ]


def seats(*lines: tuple[str, str], total: object = None, **more: str) -> dict[str, Any]:
    """Return a sheet with these lines as a browser sends it."""
    data: dict[str, Any] = {"seats-TOTAL_FORMS": total or len(lines), "seats-INITIAL_FORMS": 0, **more}
    for row, (player, score) in enumerate(lines):
        data |= {f"seats-{row}-player": player, f"seats-{row}-score": score}
    return data


def test_a_sentence_stands_at_the_line_of_the_seat_that_it_names(olga: Client) -> None:
    make_league()
    page = olga.post(ADD_SHEET, seats(("anna", "1"), ("", ""), ("zoe", "0")))
    second = page.context["sheet"].formset.forms[1]
    assert second.errors == {"player": ["Seat 2: there is no player “zoe”."]}
    assert [form["player"].value() for form in page.context["sheet"].formset.forms] == ["anna", "zoe", ""]


def test_a_result_of_nobody_is_refused_at_its_line(olga: Client) -> None:
    make_league()
    page = olga.post(ADD_SHEET, seats(("anna", "1"), ("", "0")))
    assert page.context["sheet"].formset.errors == [
        {},
        {"player": ["Whose result is this? Write who sat here, or empty the line."]},
    ]


@pytest.mark.parametrize("total", ["²", "-1", "1e3", "9" * 5000])
def test_a_made_up_number_of_lines_is_no_failure(olga: Client, total: str) -> None:
    make_league()
    page = olga.post(ADD_SHEET, seats(("anna", "1"), total=total, _more="1"))
    assert page.status_code == 200
    assert not Game.objects.exists()


def test_a_name_keeps_its_hyphen_where_numbers_have_a_minus(olga: Client) -> None:
    make_league(players=("ben",))
    add_player("am", "Anna-Maria")
    done = olga.post(ADD_SHEET, seats(("am", "0"), ("ben", "1")), follow=True).content.decode()
    assert "Anna-Maria 1500.0 → 1490.0 (\u221210.0), Ben" in done


def test_a_recorder_records_and_sees_the_game(client: Client) -> None:
    league = make_league(players=("anna", "ben"))
    user = User.objects.create_user("otto", is_staff=True)
    set_member(league.pk, "otto", "recorder")
    client.force_login(user)
    done = client.post(ADD_SHEET, seats(("anna", "1"), ("ben", "0")), follow=True)
    assert done.status_code == 200
    assert "Game 1 recorded" in done.content.decode()
    assert "Correct this game" in done.content.decode()


def test_a_refused_parameter_has_its_sentence_at_its_field(olga: Client) -> None:
    league = make_league()
    address = f"/admin/league/league/{league.pk}/rule/"
    fields = olga.get(address).context["form"]
    filled = {name: fields[name].value() for name in fields.fields if name.startswith("parameters_")}
    refused = olga.post(address, {**filled, "parameters_initial": "2000"})
    assert list(refused.context["form"].errors) == ["parameters_initial"]
