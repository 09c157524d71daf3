"""One table of games in any dialect (separator, decimal mark, days, encoding, dirt) is read alike on every face."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from io import BytesIO
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from league.apps.competitions.files.csv_fixtures import read_fixtures
from league.apps.imports.services.read_csv import read_csv
from league.apps.imports.services.read_paste import PasteAnswers, read_paste
from league.core.errors import BadFile
from league.core.jobs.services.progress import ignore_progress
from league.core.permissions import Viewer
from league.core.text.decoding import decode_text
from league.core.text.names import is_no_player
from league.models import Game, League
from ratings.registry import get_system
from tests.helpers.builders import make_league
from tests.helpers.import_client import Sender
from tests.helpers.tiers import examples, long_way

NAMES = ("Łucja Żak", "Paweł Wójcik", "Michał Dąbrowski", "Małgorzata Świątek", "Ben Nowak", "Grażyna Kamińska")
TODAY = date(2026, 11, 28)
NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)
DAY_FORMS = ("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d %b %Y", "%B %d, %Y", "%d.%m.%y", "bare")
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "windows-1250", "iso-8859-2")
#: A game: its day, and each player with a score.
Table = list[tuple[date, list[tuple[str, float]]]]


@dataclass(frozen=True)
class Dialect:
    """How a table is written."""

    separator: str
    decimal: str
    day_form: str
    encoding: str
    line_end: str
    dirt: int

    def write(self, header: list[str], rows: list[list[str]]) -> bytes:
        """Return the file of a table."""
        numbers = Random(self.dirt)
        change = numbers.choice((str, str.upper, str.title, lambda text: text.replace("_", " ")))
        spare = self.separator * numbers.choice((0, 0, 2))
        quotes = numbers.random() < 0.3
        lines = [f"sep={self.separator}"] if self.dirt % 7 == 3 else []
        lines.append(self.separator.join(f'"{change(name)}"' if quotes else change(name) for name in header) + spare)
        for row in rows:
            cells = [f'"{cell}"' if quotes or self.separator in cell else cell for cell in row]
            lines.append(self.separator.join(cells) + spare)
            if numbers.random() < 0.2:
                lines.append(numbers.choice(("", self.separator * (len(header) - 1), "   ")))
        return (self.line_end.join(lines) + self.line_end * numbers.choice((0, 1, 2))).encode(self.encoding)

    def write_day(self, day: date) -> str:
        """Return a day as the dialect writes it."""
        return f"{day.year}-{day.month}-{day.day}" if self.day_form == "bare" else f"{day:{self.day_form}}"

    def write_number(self, number: float) -> str:
        """Return a number with the dialect's decimal mark."""
        return f"{number:g}".replace(".", self.decimal)


def draw_games(numbers: Random) -> Table:
    """Return games on different days, the first of which tells day from month."""
    games: Table = []
    for count in range(numbers.randint(1, 6)):
        day = date(2026, 5, 31 - count) if count == 0 else TODAY - timedelta(days=numbers.randint(1, 700))
        scores = [numbers.choice((0, 0.5, 1, 12.5, -3, 7.25)) for _ in range(2)]
        games.append((day, list(zip(numbers.sample(NAMES, 2), scores, strict=True))))
    return games


@st.composite
def dialects(draw: st.DrawFn) -> Dialect:
    """Draw a dialect."""
    separator = draw(st.sampled_from(",;\t"))
    return Dialect(
        separator,
        draw(st.sampled_from(".,")),
        draw(st.sampled_from(DAY_FORMS)),
        draw(st.sampled_from(ENCODINGS)),
        draw(st.sampled_from(("\n", "\r\n", "\r"))),
        draw(st.integers(0, 1000)),
    )


def write_games(games: Table, dialect: Dialect) -> bytes:
    """Return the file of games, one line a result."""
    rows = [
        [str(number), dialect.write_day(day), name, dialect.write_number(score)]
        for number, (day, seats) in enumerate(games, start=1)
        for name, score in seats
    ]
    return dialect.write(["game_id", "played_at", "player", "score"], rows)


@given(dialect=dialects(), seed=st.integers(0, 2**32))
def test_games_are_read_from_csv_in_any_dialect(dialect: Dialect, seed: int) -> None:
    games = draw_games(Random(seed))
    system = get_system("elo").from_json({})
    read = read_csv(BytesIO(write_games(games, dialect)), system, "UTC", ignore_progress, today=TODAY)
    found = [one.game for one in read.games]
    assert [(game.played_at.date(), [(one.player, one.score) for one in game.results]) for game in found
            if game.played_at] == games  # fmt: skip
    assert read.ignored == ()


@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(dialect=dialects(), seed=st.integers(0, 2**32))
@pytest.mark.django_db
def test_games_are_pasted_in_any_dialect(dialect: Dialect, seed: int) -> None:
    league = League.objects.filter(slug="club").first() or make_league(players=())
    games = draw_games(Random(seed))
    text = decode_text(write_games(games, dialect)).text
    paste = read_paste(league, PasteAnswers(text, all_new=True), Viewer("x", "organise"), NOW)
    sheets = sorted(paste.sheets, key=lambda sheet: sheet.game.lines[0])
    found = [(sheet.game.day, [(one.seat.name, one.seat.score) for one in sheet.seats]) for sheet in sheets]
    assert found == games
    assert not any(sheet.game.problems for sheet in sheets)


@long_way
@given(dialect=dialects(), seed=st.integers(0, 2**32))
def test_fixtures_are_read_in_any_dialect(dialect: Dialect, seed: int) -> None:
    games = draw_games(Random(seed))
    rows = [
        [str(number), one, other, ":".join(map(dialect.write_number, (score, less))), dialect.write_day(day)]
        for number, (day, [(one, score), (other, less)]) in enumerate(games, start=1)
    ]
    header = ["round", "player_1", "player_2", "result", "starts"]
    read = read_fixtures(dialect.write(header, rows), "UTC", today=TODAY).rows
    found = [(row.starts_at.date(), list(zip(row.players, map(float, row.scores), strict=True))) for row in read
             if row.starts_at]  # fmt: skip
    assert found == games
    assert [row.round for row in read] == [*range(1, len(games) + 1)]


@pytest.mark.django_db
def test_a_day_of_two_meanings_is_asked_about() -> None:
    make_league("elo", ("anna", "ben"))
    text = "game_id;played_at;player;score\n1;05/01/2026;anna;0,5\n1;05/01/2026;ben;0,5\n;;;\n"
    sender = Sender("organise")
    answer = sender.send(text, media="text/csv")
    assert answer.status_code == 400
    assert [(one["line"], one["pointer"], one["code"]) for one in answer.data["errors"]] == [
        (2, "/lines/2/played_at", "ambiguous_day")
    ]
    assert not Game.objects.exists()
    assert sender.send(text, "?day_order=month", "text/csv").status_code == 201
    assert Game.objects.get().played_at.date() == date(2026, 5, 1)


@pytest.mark.django_db
def test_an_unclear_encoding_is_asked_about() -> None:
    make_league("elo", ("anna", "ben"))
    data = "game_id,played_at,player,score\n1,2026-01-05,Goń,1\n1,2026-01-05,ben,0\n".encode("windows-1250")
    sender = Sender("organise")
    answer = sender.send(data, "?create_players=true", "text/csv")
    assert answer.status_code == 400
    assert "“Goń” (windows-1250)" in answer.data["detail"]
    answer = sender.send(data, "?create_players=true&encoding=windows-1250", "text/csv")
    assert answer.status_code == 201
    assert Game.objects.get().results.get(seat=1).player.name == "Goń"


def test_thousands_in_a_file_with_decimal_commas_are_asked_about() -> None:
    system = get_system("elo").from_json({})

    def read(other: str) -> list[float | None]:
        text = f"game_id;played_at;player;score\n1;2026-01-05;a;1.234\n1;2026-01-05;b;{other}\n"
        (one,) = read_csv(BytesIO(text.encode()), system, "UTC", ignore_progress).games
        return [result.score for result in one.game.results]

    assert read("2.5") == [1.234, 2.5]
    with pytest.raises(BadFile) as caught:
        read("2,5")
    assert [(one.line, one.code) for one in caught.value.problems] == [(2, "not_a_number")]


@pytest.mark.parametrize(
    "text", ["BYE", "bye", " Bye ", "Freilos", "spielfrei", "-", "—", "--", "free", "wolny los", "нет пары"]
)
def test_a_word_for_nobody_is_a_bye_in_fixtures_and_no_player(text: str) -> None:
    assert is_no_player(text)
    row = read_fixtures(f"round,player_1,player_2\n1,Ann,{text}\n".encode(), "UTC").rows[0]
    assert (row.players, row.kind) == (("Ann",), "pairing_bye")


@pytest.mark.parametrize("text", ["Byer", "Frei", "Wolny", "Slobodan", "Nobodys Fool", "Anne", "Ba", "李"])
def test_names_that_look_like_it_are_players(text: str) -> None:
    assert not is_no_player(text)
    row = read_fixtures(f"round,player_1,player_2,kind\n1,Ann,{text},\n2,Ann,Bye,game\n".encode(), "UTC").rows
    assert [one.players for one in row] == [("Ann", text), ("Ann", "Bye")]
