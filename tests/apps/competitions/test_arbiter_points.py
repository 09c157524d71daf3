"""Points that an arbiter gives: 0–0, ½–0 and 0–½ count in the standings and are not rated, however they are sent."""

import json
from collections.abc import Callable
from fractions import Fraction
from io import BytesIO
from typing import Any

import pytest
from django.test import Client

from league.apps.competitions.models import Competition, SourceFile
from league.apps.competitions.selectors.competition_data import load_competition
from league.apps.competitions.selectors.exporting import export_report
from league.apps.competitions.selectors.standings import compute_standings
from league.apps.competitions.services.fixtures import change_fixture
from league.apps.competitions.services.import_people import ImportRequest
from league.apps.competitions.services.importing import import_competition
from league.apps.competitions.services.read_files import read_fixture_table, read_report
from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import NewFixture, add_fixtures
from league.apps.imports.services.run import ImportOptions, import_games
from league.apps.reports.models import Report
from league.core.errors import BadFile, Invalid, Problem, Refused
from league.core.games.services.batches import record_together
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import correct_game, record_game, restore_game, void_game
from league.core.leagues.services.leagues import change_league
from league.core.players.services.players import set_initial_rating
from league.core.verify.run import verify_league
from league.models import Game, League, RatingChange
from tests.apps.competitions.files.trf_texts import build_trf
from tests.helpers.builders import FOUR, league_of, make_league, player_of, ratings
from tests.helpers.desk_client import PAD, page_text, sheet_fields, sign_in_member
from tests.helpers.paste_builders import press, shown
from tests.helpers.report_builders import link_of, report_fields
from tests.helpers.running_competitions import loaded_cup, run_competition, scores
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
POINTS = (0.0, 0.5, 1.0)
PAIRS = [(first, second) for first in POINTS for second in POINTS]
RATED = ((1.0, 0.0), (0.5, 0.5), (0.0, 1.0))
AWARDED = ((0.0, 0.0), (0.5, 0.0), (0.0, 0.5))


def club_with_a_fixture() -> None:
    """Found a chess club in which fixture 1 is Anna's and Ben's; and a football club, whose scores are goals."""
    for slug, game in (("club", "Chess"), ("goals", "Football")):
        league = make_league(slug=slug, game=game)
        run_competition(league, FOUR, "free", tie_breaks=["WIN"])
        add_fixtures(league.pk, "cup", [NewFixture([1, 2], 1)], by="arbiter")


built = built_once(club_with_a_fixture)


def of(*result: float) -> NewGame:
    return NewGame([NewResult(name, score) for name, score in zip(("anna", "ben"), result, strict=True)])


def send_result(league: League, pair: tuple[float, float]) -> None:
    record_result(league.pk, 1, scores(*pair), by="arbiter")


def send_game(league: League, pair: tuple[float, float]) -> None:
    record_game(league.pk, of(*pair), by="pad")


def send_batch(league: League, pair: tuple[float, float]) -> None:
    (outcome,) = record_together(league.pk, [of(*pair)], username="pad")
    if isinstance(outcome, Exception):
        raise outcome


def send_csv(league: League, pair: tuple[float, float]) -> None:
    text = "game_id,played_at,player,score\n1,2024-03-05,anna,{}\n1,2024-03-05,ben,{}\n".format(*pair)
    import_games(league.pk, BytesIO(text.encode()), ImportOptions("file"))


def send_ndjson(league: League, pair: tuple[float, float]) -> None:
    results = [{"player": name, "score": score} for name, score in zip(("anna", "ben"), pair, strict=True)]
    line = json.dumps({"played_at": "2024-03-05", "results": results}).encode()
    import_games(league.pk, BytesIO(line), ImportOptions("file", media="ndjson"))


def send_correction(league: League, pair: tuple[float, float]) -> None:
    other = (1.0, 0.0) if pair != (1.0, 0.0) else (0.0, 0.0)
    game = record_game(league.pk, of(*other), by="pad").game
    try:
        correct_game(league.pk, game.number, of(*pair), reason="Decided.", username="arbiter")
    except Refused:
        void_game(league.pk, game.number, reason="Undone.", username="arbiter")
        raise


def raise_what_a_page_says(page: Any) -> None:
    """Raise the error that a page shows instead of recording."""
    said = page_text(page)
    if "The points of a game are" in said:
        raise Refused.of([Problem("/results", "impossible_points", said)])


def send_pad(league: League, pair: tuple[float, float]) -> None:
    rows = zip(("anna", "ben"), map(str, pair), strict=True)
    raise_what_a_page_says(sign_in_member("rolf", "recorder", league).post(PAD, sheet_fields(*rows), follow=True))


def send_paste(league: League, pair: tuple[float, float]) -> None:
    browser = sign_in_member("rolf", "recorder", league)
    page = shown(browser, "Date;Time;A;S;B;S\n5.3.2024;20:00;Anna;{};Ben;{}".format(*pair))
    raise_what_a_page_says(page)
    raise_what_a_page_says(press(browser, page, _record=""))


def send_link(league: League, pair: tuple[float, float]) -> None:
    change_league(league.pk, {"reporting": "by_link"}, username="olga")
    for name in FOUR:
        set_initial_rating(league.pk, player_of(name), 1500)
    anna, ben = (f"/report/{link_of(league, name)}/" for name in ("anna", "ben"))
    raise_what_a_page_says(Client().post(anna, report_fields(scores=pair), follow=True))
    raise_what_a_page_says(Client().post(f"{ben}{Report.objects.get().pk}/", {"_say": "right"}, follow=True))


FACES: list[Callable[[League, tuple[float, float]], None]] = [
    send_result, send_game, send_batch, send_csv, send_ndjson, send_correction, send_pad, send_paste, send_link,
]  # fmt: skip


def read_points(league: League) -> list[Fraction]:
    """Return the points of Anna's and Ben's entries in the standings."""
    points = {row.entry: row.points for row in compute_standings(loaded_cup(league)).rows}
    return [points[1], points[2]]


@pytest.mark.sampled(every=5)
@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("pair", PAIRS)
def test_each_pair_of_points_counts_as_given_or_is_refused(
    face: Callable[[League, tuple[float, float]], None], pair: tuple[float, float]
) -> None:
    league = league_of()
    if pair not in RATED + AWARDED:
        with pytest.raises((Refused, BadFile)) as error:
            face(league, pair)
        assert error.value.problems[0].code == "impossible_points"
        assert read_points(league) == [0, 0]
        return
    face(league, pair)
    assert read_points(league) == [Fraction(one) for one in pair]
    kind = Game.objects.get(league=league, voided_at=None).kind
    assert kind == ("played" if pair in RATED else "friendly")
    assert RatingChange.objects.filter(league=league).exists() == (pair in RATED)
    assert verify_league(league.pk).state == "is right"


def test_points_follow_the_game_that_counts() -> None:
    league = league_of()
    first = record_result(league.pk, 1, scores(0.5, 0), by="arbiter").game
    second = correct_game(league.pk, first.number, of(0, 1), reason="Ben won.", username="arbiter").game
    assert read_points(league) == [0, 1]
    assert second.kind == "played"
    restore_game(league.pk, first.number, reason="Undone.", username="arbiter")
    assert read_points(league) == [Fraction(1, 2), 0]
    assert ratings(league) == {}


@pytest.mark.parametrize(("pair", "points", "kind"), [((0, 0), (0.5, 0.5), "played"), ((1, 1), (0.5, 0.5), "played"),
                                                     ((0.5, 0), (0.5, 0), "friendly")])  # fmt: skip
def test_scores_of_a_game_with_goals_are_no_points_unless_one_is_a_half(
    pair: tuple[float, float], points: tuple[float, float], kind: str
) -> None:
    league = league_of("goals")
    send_result(league, pair)
    assert read_points(league) == [Fraction(one) for one in points]
    assert Game.objects.get(league=league).kind == kind


def test_half_a_point_is_a_draws_points_of_the_table() -> None:
    league = league_of()
    Competition.objects.filter(league=league).update(points={"win": 3, "draw": 1, "loss": 0})
    send_result(league, (0.5, 0))
    assert read_points(league) == [1, 0]


def read_pages_of_cup(desk: Client) -> list[str]:
    """Return the text of its public page and of the organiser's."""
    addresses = ("/leagues/club/competitions/cup/", "/admin/leagues/club/competitions/cup/")
    return [page_text(client.get(address)) for client, address in zip((Client(), desk), addresses, strict=True)]


def test_an_arbiter_decides_any_points_with_a_reason() -> None:
    league = league_of()
    with pytest.raises(Refused, match="has no result yet"):
        change_fixture(league.pk, 1, {"points": [1, 0]}, by="arbiter", reason="Phone.")
    send_result(league, (1, 0))
    with pytest.raises(Invalid, match="Give the reason"):
        change_fixture(league.pk, 1, {"points": [0.5, 0]}, by="arbiter")
    with pytest.raises(Invalid, match="has 2 seats"):
        change_fixture(league.pk, 1, {"points": [0.5]}, by="arbiter", reason="Phone.")
    with pytest.raises(Invalid, match="from -1000 to 1000"):
        change_fixture(league.pk, 1, {"points": [0.5, 1e9]}, by="arbiter", reason="Phone.")
    change_fixture(league.pk, 1, {"points": [0.25, None]}, by="arbiter", reason="Phone.")
    assert read_points(league) == [Fraction(1, 4), 0]
    assert list(ratings(league)) == ["anna", "ben"]
    assert verify_league(league.pk).state == "is right"
    desk = sign_in_member("olga", "arbiter", league)
    assert [page.count("0.25–0 by decision") for page in read_pages_of_cup(desk)] == [1, 1]
    change_fixture(league.pk, 1, {"points": [None, None]}, by="arbiter", reason="Appeal.")
    assert read_points(league) == [1, 0]
    assert not any("by decision" in page for page in read_pages_of_cup(desk))


def test_a_report_file_and_the_program_mean_the_same_results() -> None:
    league = league_of()
    text = build_trf(
        "1 0.5 1 | 3 w = | 2 b 0", "2 1.0 1 | 4 b 1 | 1 w 0", "3 0.0 1 | 1 b 0 | 4 w 0", "4 0.5 1 | 2 w 0 | 3 b ="
    )
    read = read_report(text.encode(), "UTC").with_title("Open")
    competition = import_competition(league.pk, read, ImportRequest("arbiter", create_players=True)).competition
    loaded = load_competition(competition)
    assert {row.entry: row.points for row in compute_standings(loaded).rows} == {
        1: Fraction(1, 2), 2: 1, 3: 0, 4: Fraction(1, 2)
    }  # fmt: skip
    games = Game.objects.filter(league=league).order_by("number")
    lines = [(game.kind, [line.score for line in game.results.order_by("seat")]) for game in games]
    assert lines == [("friendly", [0.5, 0]), ("played", [0, 1]), ("friendly", [0, 0]), ("friendly", [0, 0.5])]
    # Without the file, the report is written from the stored results.
    SourceFile.objects.all().delete()
    written = export_report(load_competition(competition)).decode()
    again = read_report(written.encode(), "UTC")
    assert [[fixture.seats for fixture in one.fixtures] for one in again.rounds] == [
        [fixture.seats for fixture in one.fixtures] for one in read.rounds
    ]
    correct_game(
        league.pk, 3, NewGame([NewResult(line.player.handle, score) for line, score in
                               zip(games[2].results.order_by("seat"), (1, 0), strict=True)]),
        reason="Appeal.", username="arbiter",
    )  # fmt: skip
    assert {row.entry: row.points for row in compute_standings(load_competition(competition)).rows}[2] == 2
    (missing,) = verify_league(league.pk).differences
    assert "file" in str(missing)


def test_fixtures_of_a_table_are_read_alike() -> None:
    league = league_of()
    text = "round,player_1,player_2,result\n1,cleo,dan,{}\n"
    request = ImportRequest("arbiter", create_players=True)
    read = read_fixture_table(text.format("1:0.5").encode(), "UTC")
    with pytest.raises(BadFile) as error:
        import_competition(league.pk, read, request)
    assert [(one.line, one.code) for one in error.value.problems] == [(2, "impossible_points")]
    read = read_fixture_table(text.format("0:0").encode(), "UTC")
    competition = import_competition(league.pk, read, request).competition
    assert {row.points for row in compute_standings(load_competition(competition)).rows} == {Fraction(0)}
    assert Game.objects.get(league=league).kind == "friendly"
