"""Nothing that somebody typed runs as a formula in a spreadsheet: asked of every table that is answered as CSV."""

import csv
import io
from pathlib import Path

import pytest
from django.test import Client

from league.models import League, Player
from tests.helpers.builders import make_league
from tests.helpers.ladder_builders import duel, make_ladder, record_as_played

NAME = '=HYPERLINK("https://elsewhere.example","me")'
TABLES = (
    "/api/v1/leagues/club/leaderboard/?format=csv",
    "/api/v1/leagues/club/games/?format=csv",
    "/api/v1/leagues/club/export/?format=csv",
    "/api/v1/leagues/club/ladders/month/periods/2024-03/?format=csv",
    "/leagues/club/players/anna/games.csv",
)


@pytest.mark.django_db
def test_no_cell_is_run() -> None:
    league = make_league(slug="club")
    make_ladder(league)
    record_as_played(league, duel("anna", "ben", "2024-03-05T20:00:00Z"))
    Player.objects.filter(handle__in=("anna", "ben")).update(name=NAME)
    League.objects.update(title=NAME)
    for address in TABLES:
        answer = Client().get(address)
        assert answer.status_code == 200, address
        assert answer["Content-Type"].startswith("text/csv")
        text = b"".join(answer.streaming_content) if answer.streaming else answer.content  # type: ignore[attr-defined]
        cells = [cell for row in csv.reader(io.StringIO(bytes(text).decode())) for cell in row]
        assert cells, address
        assert not [cell for cell in cells if cell[:1] in "=+@\t\r" and cell], address


def test_nobody_writes_csv_but_who_quotes_cells() -> None:
    """What splits pasted workbooks writes for our own reader alone."""
    league = Path(__file__).parents[2] / "league"
    writing = {str(path.relative_to(league)) for path in league.rglob("*.py") if "csv.writer" in path.read_text()}
    assert writing == {
        "core/text/csv_rows.py",
        "core/transfer/selectors/exports_csv.py",
        "apps/imports/paste/workbook.py",
    }
