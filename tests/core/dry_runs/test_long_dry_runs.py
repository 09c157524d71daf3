"""A dry run that many games follow is a job: the same diff, the same refusals, nothing written, on every face."""

import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings
from django.utils import timezone

from league import tasks
from league.core.accounts.services.members import set_member
from league.core.dry_runs.services.run import pack, preview_void, unpack
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import void_game
from league.core.games.services.split_players import Split
from league.core.jobs.services.cancel import cancel_job
from league.core.jobs.services.progress import ignore_progress
from league.core.jobs.services.work import delete_old_jobs
from league.core.leagues.services.adjustments import AdjustmentData, adjust
from league.core.permissions import Viewer
from league.core.players.services.erase import erase_player
from league.core.players.services.merges import merge_players
from league.core.replay.services.compute import play
from league.models import Game, Job, League, Player
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, record, reread, sheet
from tests.helpers.desk_client import browser_of, dated_sheet, page_messages, page_text
from tests.helpers.desk_games import yes_fields
from tests.helpers.dry_run_builders import sent_again, shown_after, work_off
from tests.helpers.import_client import Sender, json_games
from tests.helpers.ladder_builders import close, duel, make_ladder, tables, utc
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way, mark_rows_slow, mark_slow

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
DESK = "/admin/leagues/club/"
#: Of each dry run of the API: its address and its body.
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "correct": (
        "leagues/club/games/1/correct/",
        {"results": [{"player": "anna", "score": 0}, {"player": "ben", "score": 1}], "reason": "misread"},
    ),
    "void": ("leagues/club/games/1/void/", {"reason": "a friendly"}),
    "restore": ("leagues/club/games/2/restore/", {"reason": "it counted"}),
    "rule": ("leagues/club/rules/", {"from": "2024-04-01", "system": "elo", "parameters": {"k": 64}}),
    "adjust": (
        "leagues/club/adjustments/",
        {"player": "anna", "amount": -25, "reason": "left early", "at": "2024-03-06T00:00:00Z"},
    ),
    "void an adjustment": ("leagues/club/adjustments/1/void/", {"reason": "unjust"}),
    "merge": ("players/dan/merge/", {"into": "cleo"}),
    "unmerge": ("players/eva/unmerge/", {}),
}


def long_dry_runs() -> override_settings:
    """Let every dry run be a long one."""
    return override_settings(RUNGS_INLINE_GAMES=0)


def build() -> None:
    """Make a league with a closed month, a void game, an adjustment and a merged player."""
    league = make_league(players=("anna", "ben", "cleo", "dan", "eva"), parameters={"k": 32})
    make_ladder(league)
    days = ("03-05", "03-06", "03-20", "04-05", "05-05")
    pairs = (("anna", "ben"), ("anna", "cleo"), ("ben", "eva"), ("cleo", "ben"), ("dan", "anna"))
    for pair, day in zip(pairs, days, strict=True):
        record(league, duel(*pair, f"2024-{day}"))
    close(league, "2024-03")
    void_game(league.pk, 2, reason="a friendly", username="olga")
    player = {one.handle: one for one in Player.objects.all()}
    merge_players(player["eva"], player["cleo"], username="olga")
    adjust(league.pk, player["ben"], AdjustmentData(40, "a prize", utc("2024-04-01")), username="olga")


built = built_once(build)


@pytest.mark.parametrize("name", mark_slow(CASES, "Another change.", but=[*CASES][::3]))
def test_a_long_dry_run_is_a_job_whose_result_is_what_a_short_one_answers(name: str) -> None:
    path, body = CASES[name]
    api = Api("organise")
    short = api.post(f"{path}?dry_run=true", body)
    assert short.status_code == 200, short.data
    before = tables("Job", "Token")
    with long_dry_runs():
        answer = api.post(f"{path}?dry_run=true", body)
        assert (answer.status_code, answer["Location"]) == (202, answer.data["url"])
        assert (answer.data["kind"], answer.data["state"], answer.data["result"]) == ("dry_run", "waiting", None)
        assert work_off().state == "done"
    told = api.get(f"jobs/{answer.data['id']}/").data
    assert (told["state"], told["progress"], told["problem"]) == ("done", 1.0, None)
    assert told["result"] == short.data
    diffs = short.data.get("leagues", [short.data])
    assert all(diff["games_replayed"] and diff["ratings"] for diff in diffs)
    assert tables("Job", "Token") == before


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("leagues/club/games/77/void/", {"reason": "a friendly"}, 404),
        ("leagues/club/games/2/void/", {"reason": "again"}, 409),
        ("leagues/club/games/1/correct/", {"results": [{"player": "anna", "score": 1}], "reason": "misread"}, 422),
        ("leagues/club/rules/", {"from": "2024-04-01", "system": "elo", "parameters": {"k": -1}}, 400),
        ("players/anna/merge/", {"into": "ben"}, 422),
    ],
)
def test_what_is_refused_before_the_replay_is_refused_at_once(path: str, body: dict[str, Any], status: int) -> None:
    with long_dry_runs():
        assert Api("organise").post(f"{path}?dry_run=true", body).status_code == status
        # Nor does who may not touch a closed period get a job.
        answer = Api("record", name="rita").post("leagues/club/games/1/void/?dry_run=true", {"reason": "a friendly"})
        assert answer.status_code == 403
    assert not Job.objects.exists()


def test_what_is_refused_when_the_worker_comes_is_the_problem_of_the_job() -> None:
    league, api = League.objects.get(), Api("organise")
    with long_dry_runs():
        name = api.post("leagues/club/games/1/void/?dry_run=true", {"reason": "a friendly"}).data["id"]
    void_game(league.pk, 1, reason="somebody was quicker", username="olga")
    work_off()
    told = api.get(f"jobs/{name}/").data
    assert (told["state"], told["result"]) == ("failed", None)
    assert (told["problem"]["status"], told["problem"]["code"]) == (409, "conflict")


def test_a_dry_run_that_waits_or_runs_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    api, path = Api("organise"), "leagues/club/games/1/void/?dry_run=true"
    before = tables("Job", "Token")
    with long_dry_runs():
        api.post(path, {"reason": "a friendly"})
        waits = Job.objects.get()
        assert cancel_job(waits, username="olga")
        assert not tasks.job(str(waits.pk))
        runs = Job.objects.get(pk=api.post(path, {"reason": "a friendly"}).data["id"])
        assert runs.pk != waits.pk

        def meanwhile(*given: Any, **more: Any) -> Any:
            assert not cancel_job(reread(runs), username="olga")
            return play(*given, **more)

        monkeypatch.setattr("league.core.dry_runs.services.projection.play", meanwhile)
        tasks.job(str(runs.pk))
    for job in (reread(waits), reread(runs)):
        assert (job.state, job.cancelled_by, job.result) == ("failed", "olga", None)
    assert tables("Job", "Token") == before


def test_who_asks_again_gets_the_same_job_until_the_books_change() -> None:
    league, api = League.objects.get(), Api("organise")

    def asked() -> str:
        with long_dry_runs():
            return str(api.post("leagues/club/games/1/void/?dry_run=true", {"reason": "a friendly"}).data["id"])

    first = asked()
    assert asked() == first
    work_off()
    assert asked() == first
    record(league, duel("anna", "ben", "2024-06-05"))
    assert asked() != first
    assert Job.objects.filter(kind="dry_run").count() == 2
    assert delete_old_jobs() == 0
    Job.objects.filter(pk=first).update(ended_at=timezone.now() - timedelta(days=1, minutes=1))
    assert delete_old_jobs() == 1, "what a dry run has found is forgotten after a day"


def test_a_merge_shows_its_diff_to_those_who_may_record_in_every_league_concerned() -> None:
    league, hidden = League.objects.get(), make_league(slug="hidden", visibility="private")
    record(hidden, duel("dan", "ben", "2024-03-05"))
    User.objects.create_user("rita"), User.objects.create_user("oscar")
    set_member(league.pk, "rita", "recorder")
    for one in (league, hidden):
        set_member(one.pk, "oscar", "organiser")
    with long_dry_runs():
        name = Api("organise").post("players/dan/merge/?dry_run=true", {"into": "cleo"}).data["id"]
        work_off()
    job = Job.objects.get()
    assert job.league == league
    statuses = {who: browser_of(who).get(f"{DESK}jobs/{job.pk}/").status_code for who in ("rita", "oscar")}
    assert statuses == {"rita": 404, "oscar": 200}
    assert Api("record", (league,), "one").get(f"jobs/{name}/").status_code == 404
    told = Api("record", name="two").get(f"jobs/{name}/").data
    assert [one["league"] for one in told["result"]["leagues"]] == ["club", "hidden"]


def test_every_argument_of_a_dry_run_is_read_as_it_was_written() -> None:
    league = League.objects.get()
    viewer = Viewer("rita", "record", frozenset([league.pk]), {league.pk: "recorder"})
    seats = [NewResult("anna", 1.5, side=1), NewResult("ben", place=2, worksheet={"bid": [1, None]})]
    game = NewGame(seats, utc("2024-03-05"), details={"list": 3.0, "League": 1}, names={"x": "X"}, viewer=viewer)
    given = [
        league, Player.objects.get(handle="anna"), viewer, game, AdjustmentData(-2.5, "why", utc("2024-03-05")),
        Split("anna", [1, 2], name="Zora"), utc("2024-03-05").date(), None, "text", 3, 0.1, {"League": ["list", 2]},
    ]  # fmt: skip
    again = unpack(pack(given))
    assert again == given
    assert again[3].viewer == viewer


def test_a_small_file_that_many_games_follow_is_tried_by_a_worker(olga: Client) -> None:
    league, games = League.objects.get(), Game.objects.count()
    text, api = json_games(2), Sender("record")
    short = api.send(text, "?dry_run=true")
    assert (short.status_code, short.data["games"]) == (200, 2)
    with long_dry_runs():
        name = api.send(text, "?dry_run=true").data["id"]
        assert tasks.job(name)
        assert Api("record", name="other").get(f"jobs/{name}/").data["result"] == short.data
        file = SimpleUploadedFile("games.ndjson", text.encode())
        page = olga.post(f"{DESK}import/", {"file": file}, follow=True)
        job = page.context["line"].job
        assert (job.state, job.attempts, job.arguments["keep"]) == ("waiting", 0, True)
        assert tasks.job(str(job.pk))
        done = olga.post(f"{DESK}import/{job.pk}/", {"once": page.context["once"]}, follow=True)
    assert "2 games were imported." in page_messages(done)
    assert (Game.objects.count(), reread(league).stale_from is not None) == (games + 2, True)


def test_a_long_void_at_the_desk_is_shown_after_its_job_and_confirmed(olga: Client) -> None:
    league = League.objects.get()
    with long_dry_runs():
        wanted = preview_void(league, 1, "x", progress=ignore_progress)
        page = shown_after(olga, f"{DESK}games/1/void/", {})
        User.objects.create_user("oscar")
        set_member(league.pk, "oscar", "organiser")
        job = f"{DESK}jobs/{Job.objects.get().pk}/"
        # Only who asked is led back to the form.
        assert olga.get(job).context["sent"]
        assert browser_of("oscar").get(job).context["sent"] is None
        assert page.context["tried"].diff == wanted
        assert page.context["tried"].later
        said = page_text(page)
        assert "will be rated again in the background after you confirm" in said
        assert "Once the games are rated, March 2024 appears under Decisions due." in said
        wrong = olga.post(f"{DESK}games/1/void/", yes_fields(page, reason=""))
        assert (wrong.context["tried"].diff, Job.objects.count()) == (wanted, 1), "the reason is missing, nothing else"
        assert olga.post(f"{DESK}games/1/void/", yes_fields(page)).status_code == 302
    assert Game.objects.get(number=1).voided_at is not None
    assert Job.objects.filter(kind="dry_run").count() == 1


def test_a_long_dry_run_that_was_overtaken_is_shown_once_and_then_done_again(olga: Client) -> None:
    """Else nobody would ever see one of a league in which somebody plays all the time."""
    league = League.objects.get()
    with long_dry_runs():
        olga.post(f"{DESK}games/1/void/", {})
        job = work_off()
        record(league, duel("anna", "ben", "2024-06-05"))
        page = olga.post(*sent_again(olga.get(f"{DESK}jobs/{job.pk}/")))
        assert job.result
        assert page.context["seen"] == job.result["revision"]
        again = olga.post(f"{DESK}games/1/void/", yes_fields(page), follow=True)
        assert (again.context["line"].job.state, Job.objects.count()) == ("waiting", 2)
        assert "has changed since you opened this page, so nothing was saved" in page_messages(again)
    assert Game.objects.get(number=1).voided_at is None


def test_the_page_that_confirms_has_the_reason_that_was_given_last(olga: Client) -> None:
    with long_dry_runs():
        for reason in ("first words", "second words"):
            olga.post(f"{DESK}games/1/void/", {"reason": reason})
        page = olga.post(*sent_again(olga.get(f"{DESK}jobs/{work_off().pk}/")))
    assert "second words" in page.content.decode()
    assert "first words" not in page.content.decode()


@long_way
def test_a_person_who_is_erased_leaves_the_results_of_other_leagues_too() -> None:
    other = make_league(slug="other", players=())
    for number, pair in enumerate((("xaver", "ben"), ("dan", "xaver"), ("cleo", "xaver")), start=4):
        record(other, replace(duel(*pair, f"2024-03-0{number}"), create_players=True))
    Player.objects.filter(handle="xaver").update(name="Xaver Unikat")
    with long_dry_runs():
        assert Api("organise").post("players/dan/merge/?dry_run=true", {"into": "cleo"}).status_code == 202
        job = work_off()
    assert (job.league.slug, "Xaver" in str(job.result)) == ("club", True)
    erase_player(Player.objects.get(handle="xaver"), username="olga")
    assert "xaver" not in str(reread(job).result).lower()


def diff_in(context: Any) -> Any:
    """Return the diff that a page of the desk shows."""
    shown = context["tried"]
    return shown[0].diff if isinstance(shown, list) else shown.diff


@long_way
@pytest.mark.parametrize(
    ("path", "fields"),
    mark_rows_slow(
        [
            ("games/1/correct/", dated_sheet(("ben", 1), ("anna", 0), played_at="2024-03-05T00:00")),
            ("games/2/restore/", {}),
            ("rules/", {"parameters_k": "64", "from_date": "2024-04-01"}),
            ("rules/", {"parameters_k": "64", "months": "3"}),
            ("starts/", {"player": "anna", "initial_rating": "1600"}),
            ("adjustments/", {"player": "anna", "amount": "-25", "reason": "left early", "at": "2024-03-06"}),
            ("people/players/dan/merge/", {"into": "cleo"}),
            ("people/players/eva/unmerge/", {}),
            ("people/players/anna/split/", {"who": "Zora", "new": "on", "game": ["1"]}),
            ("games/6/order/", {"order": "7,6", "_try": "1"}),
        ],
        "Another form.",
        every=3,
    ),
)
def test_every_long_dry_run_of_the_desk_shows_what_the_short_one_shows(
    olga: Client, path: str, fields: dict[str, Any]
) -> None:
    league = League.objects.get()
    for pair in (("anna", "ben"), ("ben", "cleo")):
        record(league, duel(*pair, "2024-06-05"))
    if "months" in fields:
        record(league, sheet(("anna", "ben"), (1, 0), played_at=timezone.now()))
    rules = olga.get(f"{DESK}rules/").context["form"] if path == "rules/" else None
    if rules is not None:
        shown = {name: rules[name].value() for name in rules.fields}
        fields = {**{name: value for name, value in shown.items() if value is not None}, **fields}
    short = olga.post(f"{DESK}{path}", fields)
    assert diff_in(short.context).games_replayed
    with long_dry_runs():
        page = shown_after(olga, f"{DESK}{path}", fields)
    assert diff_in(page.context) == diff_in(short.context)


@long_way
def test_a_long_way_back_of_a_split_is_shown_after_its_job(olga: Client) -> None:
    page = olga.post(f"{DESK}people/players/anna/split/", {"who": "Zora", "new": "on", "game": ["1"]})
    own = {"game": ["1"], "seen": page.context["seen"], "once": page.context["once"], "_commit": "yes"}
    becomes = {"asked": page.context["asked"], "becomes-month/2024-03": "stand"}
    sent = {"who": "Zora", "new": "on", **own, **becomes, "reason": "two"}
    done = olga.post(f"{DESK}people/players/anna/split/", sent, follow=True)
    back = done.context["undo"]["address"]
    short = olga.post(back, {"reason": "x"})
    with long_dry_runs():
        assert diff_in(shown_after(olga, back, {}).context) == diff_in(short.context)


def test_no_web_process_imports_numba() -> None:
    code = "import django; django.setup(); import league.wsgi, league.urls, sys; print(*sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=settings.BASE_DIR, capture_output=True, text=True, check=True
    ).stdout.split()
    assert {"league.wsgi", "league.urls"} <= set(found)
    assert not {"numba", "ratings.run.compiled", "multiprocessing.spawn"} & set(found)
