"""Contexts on pages: asked about, created, changed and removed by organisers; on the public pages of the league."""

import random
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.test import Client

from league.core.fields.services.fields import NewField, declare_field
from league.core.games.services.game_input import NewGame
from league.models import Context, League, Rating
from tests.helpers.builders import EVENING, FOUR, make_league, record, sheet
from tests.helpers.desk_client import page_text
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
DESK, CLUB = "/admin/leagues/club/contexts/", "/leagues/club/"


def games(count: int) -> Iterator[NewGame]:
    """Yield drawn duels, one a day, on two maps in turn."""
    chance = random.Random(4)
    for number in range(count):
        pair = tuple(chance.sample(FOUR, 2))
        fields = {"map": ("dust", "nuke")[number % 2], "ranked": number % 3 == 0}
        yield sheet(pair, (1, 0), fields=fields, played_at=EVENING + timedelta(days=number))


@pytest.fixture
def league() -> League:
    """Return a league with two fields and 24 games."""
    league = make_league()
    declare_field(league.pk, NewField("map", "Map", "game", "choice", ["dust", "nuke"]), username="olga")
    declare_field(league.pk, NewField("ranked", "Ranked", "game", "yes_no"), username="olga")
    for new in games(24):
        record(league, new)
    return league


def test_a_context_is_asked_about_founded_changed_and_removed(olga: Client, league: League) -> None:
    sent = {"title": "On dust", "field_map": ["dust"], "sides": "2", "start": "own", "system": ""}
    advice = page_text(olga.post(DESK, {**sent, "_advice": "1"}))
    assert "12 of 24 games count. Ratings of their own predict these games" in advice
    assert "interval of the difference" in advice and not Context.objects.exists()
    wrong = olga.post(DESK, {**sent, "sides": "two"})
    assert list(wrong.context["form"].errors) == ["sides"]
    assert olga.post(DESK, sent).status_code == 302
    found = Context.objects.get()
    assert (found.slug, found.filter) == ("on-dust", {"field.map": ["dust"], "sides": 2})
    assert "Map: dust · sides: 2" in page_text(olga.get(DESK))
    twice = olga.post(DESK, sent)
    assert list(twice.context["form"].errors) == ["slug"]
    changed = {"title": "Ranked", "field_ranked": ["true"], "sizes": "1, 1", "start": "own", "system": "glicko2"}
    assert olga.post(f"{DESK}on-dust/", changed).status_code == 302
    found.refresh_from_db()
    assert (found.filter, found.system) == ({"field.ranked": [True], "sizes": [1, 1]}, "glicko2")
    page = olga.get(f"{DESK}on-dust/")
    assert page.context["form"]["field_ranked"].value() == ["true"]
    assert olga.get(f"{DESK}none/").status_code == 404
    assert olga.post(f"{DESK}on-dust/remove/").status_code == 302
    assert not Context.objects.exists()


@long_way
def test_contexts_are_on_the_pages_of_board_player_and_game(olga: Client, league: League) -> None:
    olga.post(DESK, {"title": "On dust", "field_map": ["dust"], "start": "own", "system": ""})
    board = Client().get(CLUB).content.decode()
    assert f'href="{CLUB}contexts/on-dust/"' in board
    page = Client().get(f"{CLUB}contexts/on-dust/?around=anna")
    rows = page.context["rows"]
    assert [row.rank for row in rows] == sorted(row.rank for row in rows) and len(rows) == Rating.objects.count()
    assert 'id="here"' in page.content.decode()
    player = Client().get(f"{CLUB}players/anna/")
    (card,) = player.context["contexts"]
    assert card.card.rank == next(row.rank for row in rows if row.handle == "anna")
    (changes,) = Client().get(f"{CLUB}games/1/").context["contexts"]
    assert [line.seat for line in changes.lines] == [1, 2]
    assert Client().get(f"{CLUB}games/2/").context["contexts"] == []
    assert Client().get(f"{CLUB}contexts/none/").status_code == 404
    embed = Client().get("/embed/leagues/club/?context=on-dust&rows=2")
    assert [rung.row.handle for rung in embed.context["rungs"]] == [row.handle for row in rows[:2]]
    assert "Club: On dust" in embed.content.decode() and f"{CLUB}contexts/on-dust/" in embed.content.decode()
    one = Client().get("/embed/leagues/club/players/anna/?context=on-dust")
    assert one.context["card"].rank == card.card.rank and one.context["spark"]
    assert Client().get("/embed/leagues/club/?context=none").status_code == 404
    Context.objects.update(pending=True)
    League.objects.update(replays=99)
    assert "being computed" in page_text(Client().get(f"{CLUB}contexts/on-dust/"))
    assert not Client().get(f"{CLUB}players/anna/").context["contexts"]
