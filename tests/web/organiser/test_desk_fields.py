"""Declared fields on the pad, on the sheet of a correction, on a game's page, and in CSV."""

from dataclasses import replace
from io import BytesIO

import pytest
from django.test import Client

from league.apps.imports.services.run import ImportOptions, import_games
from league.core.errors import BadFile
from league.core.fields.services.fields import NewField, declare_field
from league.core.players.services.players import change_player, set_fields
from league.core.transfer.selectors.exports_csv import iter_csv_lines
from league.models import Game, League, Player, PlayerValue
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import PAD
from tests.helpers.desk_sheets import correct, shown
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db


@pytest.fixture
def league() -> League:
    """Return a league with fields of games and seats, one of them required and one for organisers."""
    league = make_league()
    for new in (
        NewField("map", "Map", "game", "choice", ["dust", "nuke"], required=True),
        NewField("ranked", "Ranked", "game", "yes_no"),
        NewField("hero", "Hero", "seat", "text"),
        NewField("ping", "Ping", "seat", "number", visible="organisers"),
    ):
        declare_field(league.pk, new, username="olga")
    return league


def play(league: League, name: str = "dust") -> Game:
    """Record a game with a value of each field."""
    new = sheet(("anna", "ben"), (1, 0), fields={"map": name, "ranked": False}, external_id=f"g-{name}")
    first, second = new.results
    results = [replace(first, fields={"hero": "Zed", "ping": 30}), second]
    return record(league, replace(new, results=results))


def test_the_pad_asks_for_fields_and_shows_what_is_missing(olga: Client, league: League) -> None:
    page = olga.get(PAD)
    data = {**shown(page), "seats-0-player": "anna", "seats-0-score": "1", "seats-1-player": "ben"}
    data |= {"seats-1-score": "0", "seats-1-fields_hero": "Ada"}
    assert "fields_ping" not in page.content.decode()
    refused = olga.post(PAD, data)
    assert list(refused.context["form"].errors) == ["fields_map"] and not Game.objects.exists()
    assert olga.post(PAD, {**data, "fields_map": "nuke", "fields_ranked": "true"}).status_code == 302
    game = Game.objects.get(league=league)
    assert game.details["declared_fields"] == {"game": {"map": "nuke", "ranked": True}}
    assert game.withheld == {"seats": [{}, {"hero": "Ada"}]}


@long_way
def test_a_correction_keeps_what_nobody_touched(olga: Client, league: League) -> None:
    game = play(league)
    corrected = correct(olga, game, note="misread")
    assert (corrected.details, corrected.withheld) == (game.details, game.withheld)
    again = correct(olga, corrected, fields_map="nuke")
    assert again.details["declared_fields"]["game"] == {"map": "nuke", "ranked": False}
    assert again.withheld == game.withheld


def test_the_page_of_a_game_shows_what_everyone_may_read(league: League) -> None:
    play(league)
    text = Client().get("/leagues/club/games/1/").content.decode()
    assert "Hero of Anna" in text and "Zed" in text and "Ranked" in text
    assert "Ping" not in text


def test_csv_is_read_as_it_was_written(league: League) -> None:
    play(league), play(league, "nuke")
    text = "".join(f"{line}\n" for line in iter_csv_lines(league.pk))
    assert text.splitlines()[0].endswith(",field.map,field.ranked,field.hero")
    other = make_league(slug="other")
    with pytest.raises(BadFile):
        import_games(other.pk, BytesIO(text.encode()), ImportOptions(by="olga"))
    for field in league.declared_fields.exclude(key="ping"):
        new = NewField(field.key, field.title, field.of, field.type, field.choices)
        declare_field(other.pk, new, username="olga")
    import_games(other.pk, BytesIO(text.encode()), ImportOptions(by="olga"))
    assert "".join(f"{line}\n" for line in iter_csv_lines(other.pk)) == text


@long_way
def test_pages_show_values_and_stored_ids_to_those_who_may_read_them(olga: Client, league: League) -> None:
    for new in (
        NewField("club", "Club", "player", "text"),
        NewField("born", "Born", "player", "number", visible="members"),
    ):
        declare_field(league.pk, new, username="olga")
    anna = Player.objects.get(handle="anna")
    address, page = f"/leagues/club/players/{anna.handle}/", "/leagues/club/games/1/"
    play(league)
    assert "Partizan" not in Client().get(address).content.decode()
    set_fields(league.pk, anna, {"club": "Partizan", "born": 1971}, username="olga")
    change_player(anna, external_ids={"discord": "zed#1"}, username="olga")
    Game.objects.filter(league=league).update(metadata={"server": "eu-7"})
    shown_to = {}
    for name, client in (("stranger", Client()), ("olga", olga)):
        text = client.get(address).content.decode() + client.get(page).content.decode()
        shown_to[name] = [one for one in ("Partizan", "1971", "eu-7", "g-dust", "zed#1", "Ping of Anna") if one in text]
    assert shown_to == {
        "stranger": ["Partizan"],
        "olga": ["Partizan", "1971", "eu-7", "g-dust", "zed#1", "Ping of Anna"],
    }


def test_organisers_declare_change_and_retire_fields_and_set_values_of_players(olga: Client, league: League) -> None:
    desk = "/admin/leagues/club/"
    sent = {"title": "Home club", "of": "player", "type": "choice", "choices": " Red \n\nBlue", "visible": "all"}
    refused = olga.post(f"{desk}fields/", {**sent, "key": "map", "choices": "Red\nred"})
    assert "choices" in refused.context["form"].errors or "key" in refused.context["form"].errors
    unasked = olga.post(f"{desk}fields/", {**sent, "of": "seat", "visible": "organisers", "required": "on"})
    assert list(unasked.context["form"].errors) == ["required"]
    # The page hides the choices of other types, and leaves out what was typed before the type was changed.
    assert olga.post(f"{desk}fields/", {**sent, "key": "mood", "type": "text"}).status_code == 302
    assert league.declared_fields.get(key="mood").choices == []
    assert olga.post(f"{desk}fields/", sent).status_code == 302
    club = league.declared_fields.get(key="home_club")
    assert (club.choices, club.required, club.of) == (["Red", "Blue"], False, "player")
    address = f"{desk}people/players/anna/fields/"
    assert olga.post(address, {"fields_home_club": "Green"}).status_code == 200
    assert olga.post(address, {"fields_home_club": "Blue"}).status_code == 302
    assert PlayerValue.objects.get(league=league).value == "Blue"
    lost = olga.post(f"{desk}fields/home_club/", {"title": "Home", "choices": "Red"})
    assert "choices" in lost.context["form"].errors
    changed = {"title": "Home", "choices": "Red\nBlue\nGreen", "retired": "on"}
    assert olga.post(f"{desk}fields/home_club/", changed).status_code == 302
    club.refresh_from_db()
    assert (club.title, club.choices, club.retired) == ("Home", ["Red", "Blue", "Green"], True)
    assert "Home" in olga.get(f"{desk}fields/").content.decode()
    assert olga.get(f"{desk}fields/none/").status_code == 404
    assert olga.post(address, {}).status_code == 302, "no other field of players takes values"
