"""Importing over the network: at once, as a job, as a dry run; all or nothing, errors with their lines."""

import gzip
import zlib
from io import BytesIO
from typing import Any

import pytest
from django.db import OperationalError
from django.test import override_settings

from league import tasks
from league.apps.imports.services import run, uploads
from league.apps.imports.services.uploads import StoredFile, Upload, enqueue_import
from league.core.errors import Conflict, Refused
from league.core.games.services import game_files as files
from league.core.jobs import queue
from league.core.jobs.services import work
from league.core.leagues.services.leagues import create_league
from league.core.replay.services.inline import replay_from
from league.models import Game, Job, JobPart, League, Player, Rating
from tests.helpers.api_client import Api
from tests.helpers.builders import derived, make_league, record, sheet
from tests.helpers.import_client import Sender, json_game, json_games

pytestmark = pytest.mark.django_db

CSV = "game_id,played_at,player,score\n"


@pytest.fixture(autouse=True)
def no_beat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no thread write beside a test's open transaction: on a slow machine it would find the database locked."""
    monkeypatch.setattr(work, "BEAT", 3600.0)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let five lines be a large file."""
    monkeypatch.setattr(uploads, "MAX_SMALL_LINES", {"ndjson": 4, "csv": 4})
    monkeypatch.setattr(uploads, "PART_BYTES", 150)


def test_a_small_file_is_recorded_and_rated_at_once() -> None:
    league, other = make_league(), make_league(slug="other")
    answer = Sender("record").send(json_games(6))
    assert answer.status_code == 201
    report = {"games": 6, "results": 12, "known": 0, "created_players": 0, "replayed": 6, "ignored": []}
    assert answer.data == report
    for number in range(6):
        record(other, sheet(("anna", "ben"), (number % 3, number % 2), external_id=f"g{number}",
                            played_at=Game.objects.get(league=league, number=number + 1).played_at))  # fmt: skip
    assert derived(league) == derived(other)
    assert Game.objects.filter(league=league).first().recorded_by == "server-7"  # type: ignore[union-attr]


def test_errors_bear_the_line_and_the_pointer_and_nothing_is_written() -> None:
    make_league()
    good_and_short = json_games(1) + json_game(1, ("anna", 1))
    answer = Sender("record").send(
        good_and_short + "\n" + json_game(2, ("anna", 1), ("ben", 1), mood="x") + "not json\n"
    )
    assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")
    assert [(one["line"], one["pointer"], one["code"]) for one in answer.data["errors"]] == [
        (4, "/lines/4/mood", "unknown"), (5, "/lines/5", "not_json"),
    ]  # fmt: skip
    answer = Sender("record", name="second").send(good_and_short + json_game(2, ("anna", 1), ("zoe", 2e9)))
    assert [(one["line"], one["pointer"]) for one in answer.data["errors"]] == [(3, "/lines/3/player")]
    answer = Sender("record", name="third").send(good_and_short + json_game(2, ("anna", 1), ("ben", 2e9)))
    assert [(one["line"], one["pointer"]) for one in answer.data["errors"]] == [
        (2, "/lines/2/results"), (3, "/lines/3/results/1/score"),
    ]  # fmt: skip
    assert answer.data["errors"][1]["detail"].startswith("Line 3: Seat 2: ")
    assert Game.objects.count() == 0


BAD: dict[str, tuple[str | bytes, str, str]] = {
    "no object": ("[]\n", "/lines/1", "a game must be a JSON object"),
    "not UTF-8": (b'{"note": "\xff"}\n', "/lines/1", "not UTF-8"),
    "a key twice": ('{"note": "", "note": ""}\n', "/lines/1", "occurs twice"),
    "an unknown field of a result": (json_game(1)[:-4] + '[{"player": "anna", "x/y": 1}]}\n', "/lines/1/results/0/x~1y",
                                     "no field “x/y”"),
    "no time": (json_game(1, ("anna", 1), played_at=None), "/lines/1/played_at", "played_at must be a time"),
    "one id, two games": (json_game(1, ("anna", 1), ("ben", 1)) + json_game(1, ("anna", 1), ("ben", 2)),
                          "/lines/2/external_id", "belongs to the game on line 1, which has other content"),
    "a player under two names": (json_game(1, ("anna", 1), ("Anna A.", 2)), "/lines/1/results/1/player", "is in seats"),
}  # fmt: skip


def test_a_bad_line_is_named() -> None:
    make_league()
    Player.objects.get(handle="anna").aliases.create(text="Anna A.", key="anna a.")
    api = Sender("record")
    for what, (body, pointer, sentence) in BAD.items():
        answer = api.send(body)
        # What is well-formed and against the rules, or against another game, has the status of a game sent alone.
        status = {"a player under two names": 422, "one id, two games": 409}.get(what, 400)
        assert (answer.status_code, answer.data["errors"][0]["pointer"]) == (status, pointer), what
        assert sentence in answer.data["errors"][0]["detail"]
    assert Game.objects.count() == 0


def test_games_that_stand_twice_in_a_file_count_once_and_names_are_optional() -> None:
    make_league()
    nameless = json_game(5, ("anna", 1), ("ben", 0), external_id=None)
    answer = Sender("record").send(json_games(2) + json_games(1) + nameless + nameless)
    assert (answer.data["games"], answer.data["known"]) == (4, 1)


def test_a_number_written_in_two_ways_is_the_same_in_a_file_and_against_the_books() -> None:
    make_league("preferans")
    api = Sender("record")
    scores = ("anna", -500), ("ben", 40), ("cleo", 460)
    whole, decimal, other = (json_game(1, *scores, details={"bula": bula}) for bula in (30, 30.0, 31))
    assert '"bula": 30.0' in decimal
    answer = api.send(whole + decimal)
    assert (answer.status_code, answer.data["games"], answer.data["known"]) == (201, 1, 1)
    answer = api.send(decimal)
    assert (answer.status_code, answer.data["games"], answer.data["known"]) == (201, 0, 1)
    assert [api.send(text).status_code for text in (whole + other, other)] == [409, 409]
    assert Game.objects.count() == 1


def test_scores_places_byes_and_details_are_written_as_they_are() -> None:
    league = make_league("preferans", time_zone="Asia/Tokyo")
    day = {"played_at": "2024-03-05", "details": {"bula": 30}, "note": " late "}
    text = json_game(1, ("anna", -500), ("ben", 40), ("cleo", 460), **day)
    text += '{"played_at":"2024-03-06T00:00:00Z","kind":"full_bye","results":[{"player":"dan"}]}\n'
    text += '{"played_at":"2024-03-06T00:00:00Z","kind":"forfeit",'
    text += '"results":[{"player":"dan","place":1},{"player":"ben","place":2}]}'
    assert Sender("record").send(b"\xef\xbb\xbf" + text.encode()).data["replayed"] == 1
    game = Game.objects.get(number=1)
    assert (game.played_at.isoformat(), game.details, game.note) == ("2024-03-04T15:00:00+00:00", {"bula": 30}, "late")
    assert list(Game.objects.get(number=2).results.values_list("score", "place")) == [(None, None)]
    assert list(Game.objects.get(number=3).results.order_by("seat").values_list("score", "place")) == [
        (None, 1),
        (None, 2),
    ]
    assert sum(Rating.objects.filter(league=league).values_list("games", flat=True)) == 3


def test_a_dry_run_answers_counts_and_diff_and_writes_nothing() -> None:
    league = make_league(players=("anna",))
    answer = Sender("record").send(json_games(2), "?dry_run=true&create_players=true")
    assert answer.status_code == 200
    assert (answer.data["games"], answer.data["created_players"], answer.data["games_replayed"]) == (2, 1, 2)
    assert {entry["player"]: entry["before"] for entry in answer.data["ratings"]} == {"anna": None, "ben": None}
    assert (derived(league), Game.objects.count(), Player.objects.count()) == (([], []), 0, 1)
    done = Sender("record", name="second").send(json_games(2), "?create_players=true")
    assert done.data["created_players"] == 1
    after = {entry["player"]: entry["after"] for entry in answer.data["ratings"]}
    assert dict(Rating.objects.values_list("player__handle", "rating")) == after


def test_what_a_body_is() -> None:
    make_league()
    api = Sender("record")
    assert api.send(json_games(1), media="application/json").status_code == 415
    assert "text/csv" in api.send(json_games(1), media="application/json").data["detail"]
    assert api.send("").status_code == 400
    assert api.send("\n \n").data["detail"].endswith("The file is empty.")
    assert api.send(json_games(1), "?dry=true").status_code == 400


def test_where_many_games_follow_they_are_rated_by_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    league, api = make_league(), Sender("record")
    api.send("".join(json_games(9).splitlines(keepends=True)[5:]))
    enqueued: list[Any] = []
    monkeypatch.setattr(queue, "enqueue", lambda *arguments: enqueued.append(arguments))
    with override_settings(RUNGS_INLINE_GAMES=3):
        assert api.send(json_games(5)).data["replayed"] == 0
    assert enqueued == [("league.replay", league.pk)]
    assert League.objects.get().stale_key == 5


@pytest.mark.usefixtures("small")
def test_a_large_file_is_kept_and_imported_by_a_worker_once() -> None:
    league = make_league(players=("anna",))
    answer = Sender("record").send(json_games(9), "?create_players=true")
    assert (answer.status_code, answer["Location"]) == (202, answer.data["url"])
    assert (answer.data["state"], answer.data["kind"], Game.objects.count()) == ("waiting", "import", 0)
    assert JobPart.objects.count() > 3
    assert tasks.job(answer.data["id"])
    assert not tasks.job(answer.data["id"]), "it is done once"
    told = Api("record", name="second").get(f"jobs/{answer.data['id']}/").data
    assert (told["state"], told["progress"]) == ("done", 1.0)
    assert told["result"] == {"games": 9, "results": 18, "known": 0, "created_players": 1, "replayed": 9, "ignored": []}
    assert JobPart.objects.count() == 0
    assert Game.objects.first().recorded_by == "server-7"  # type: ignore[union-attr]
    other = make_league(slug="other")
    for game in Game.objects.filter(league=league).order_by("number"):
        seats = (game.number - 1) % 3, (game.number - 1) % 2
        record(other, sheet(("anna", "ben"), seats, played_at=game.played_at))
    assert derived(league) == derived(other)


@pytest.mark.usefixtures("small")
def test_a_large_file_that_is_refused_leaves_its_lines_in_the_job_and_goes() -> None:
    make_league()
    answer = Sender("record").send(json_games(6) + json_game(7, ("anna", 1), ("zoe", 0)))
    tasks.job(answer.data["id"])
    told = Api("record", name="second").get(f"jobs/{answer.data['id']}/").data
    assert told["state"] == "failed"
    assert [(one["line"], one["code"]) for one in told["problem"]["errors"]] == [(7, "unknown_player")]
    assert (JobPart.objects.count(), Game.objects.count()) == (0, 0)


@pytest.mark.usefixtures("small")
def test_a_large_dry_run_is_a_job_whose_result_is_the_diff() -> None:
    make_league()
    answer = Sender("record").send(CSV + lines_of_csv(3), "?dry_run=true", media="text/csv")
    assert answer.status_code == 202
    tasks.job(answer.data["id"])
    result = Job.objects.get().result
    assert result
    assert (result["games"], result["games_replayed"], len(result["ratings"])) == (3, 3, 2)
    assert (JobPart.objects.count(), Game.objects.count()) == (0, 0)


def lines_of_csv(count: int) -> str:
    """Return games between anna and ben, two lines each."""
    seats = (("anna", 1), ("ben", 0))
    return "".join(f"{n},2024-03-05,{player},{score}\n" for n in range(count) for player, score in seats)


def test_gzip_is_a_workers_business() -> None:
    make_league()
    answer = Sender("record").send(gzip.compress(json_games(3).encode()))
    assert answer.status_code == 202
    tasks.job(answer.data["id"])
    job = Job.objects.get()
    assert job.result
    assert job.result["games"] == 3


@pytest.mark.usefixtures("small")
def test_a_worker_that_is_killed_leaves_nothing_and_the_next_one_does_it_all(monkeypatch: pytest.MonkeyPatch) -> None:
    make_league()
    name = Sender("record").send(json_games(7)).data["id"]

    def die(*arguments: Any, **more: Any) -> None:
        raise OperationalError("the worker is gone")

    with monkeypatch.context() as patch:
        patch.setattr(run, "replay_from", die)
        patch.setattr("league.core.jobs.services.work.connection.close", lambda: None)
        with pytest.raises(OperationalError):
            tasks.job(name)
    assert (Game.objects.count(), Job.objects.get().state) == (0, "running")
    parts = JobPart.objects.count()
    assert parts > 1
    Job.objects.update(beat_at=None, state="waiting")
    assert tasks.job(name)
    assert (Game.objects.count(), JobPart.objects.count(), Job.objects.get().attempts) == (7, 0, 2)


@pytest.mark.usefixtures("small")
def test_a_worker_that_was_thought_dead_records_nothing_when_another_has_the_job(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make_league()
    name = Sender("record").send(json_games(7)).data["id"]

    def slow(*arguments: Any, **more: Any) -> int:
        Job.objects.update(attempts=2)
        replayed: int = replay_from(*arguments, **more)
        return replayed

    monkeypatch.setattr(run, "replay_from", slow)
    tasks.job(name)
    # Undone with everything else that the slow worker wrote.
    assert (Game.objects.count(), Job.objects.get().attempts) == (0, 1)
    job = Job.objects.get()
    job.attempts = 2
    with pytest.raises(Conflict, match="Another worker"):
        uploads.finish_in_transaction(job, {})


def test_a_file_that_is_too_large_is_refused_before_it_is_read_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    make_league()
    monkeypatch.setattr(files, "MAX_STREAM_BYTES", 1000)
    answer = Sender("record").send(json_games(50))
    assert (answer.status_code, answer.data["code"]) == (413, "too_large")
    monkeypatch.setattr("league.apps.imports.services.read_ndjson.MAX_LINE_LENGTH", 100)
    assert "Line 1 is longer than 100 bytes" in Sender("record", name="b").send(json_games(1)).data["detail"]


def test_a_league_without_a_rule_takes_no_large_file() -> None:
    bare = create_league("bare", "Bare")
    with Upload(BytesIO(b""), "csv") as upload, pytest.raises(Refused):
        enqueue_import(bare, upload, username="test", create_players=False)
    assert Job.objects.count() == 0


def test_progress_is_hundredths_of_the_whole() -> None:
    told: list[Any] = []
    tell = uploads.scale_progress(lambda *step: told.append(step), 200)
    tell("reading", 100, 0)
    tell("writing", 1, 2)
    tell("rating", 5, 5)
    assert told == [("reading", 7, 100), ("writing", 43, 100), ("rating", 99, 100)]


def test_an_import_costs_as_many_queries_for_more_games(django_assert_max_num_queries: Any) -> None:
    make_league()
    api = Sender("record")
    api.send(json_games(1))
    with django_assert_max_num_queries(45):
        assert api.send(json_games(60)).status_code == 201


def test_what_a_job_keeps_is_read_back_in_order() -> None:
    job = work.request_job(make_league(), "import")
    for number, data in ((2, b"cd"), (1, b"ab")):
        JobPart.objects.create(league=job.league, job=job, number=number, data=zlib.compress(data))
    kept = StoredFile(job)
    assert [kept.read(1), kept.read(9), kept.read(9), kept.read(9)] == [b"a", b"b", b"cd", b""]
