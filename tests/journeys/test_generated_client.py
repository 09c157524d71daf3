"""A typed client generated from the OpenAPI document runs a league's evening against a live server."""

import importlib
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from league.core.accounts.services.tokens import make_token
from tests.helpers.openapi_document import document_path
from tests.helpers.programs import run

PACKAGE = "rungs_client"
EVENING = datetime(2024, 3, 5, 19, 30, tzinfo=UTC)
#: Preferans' own example: its ratings before and after.
STARTS: dict[str, float] = {"pedja": 1200, "marko": 1150, "johnny": 1100}
SCORES: dict[str, float] = {"pedja": -500, "marko": 40, "johnny": 460}


@pytest.fixture
def generated(tmp_path: Path) -> Iterator[Any]:
    """Generate the package, offline, and let it be imported; a warning of the generator is an error."""
    command = [
        sys.executable,
        "-m",
        "openapi_python_client",
        "generate",
        "--path",
        str(document_path()),
        "--meta",
        "none",
    ]
    target = tmp_path / "packages" / PACKAGE
    target.parent.mkdir()
    done = run([*command, "--output-path", str(target), "--fail-on-warning"], tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    sys.path.insert(0, str(target.parent))
    try:
        yield importlib.import_module
    finally:
        sys.path.remove(str(target.parent))
        for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
            del sys.modules[name]


class Rungs:
    """The generated functions by their operation's id, with one client."""

    def __init__(self, url: str, token: str, load: Any) -> None:
        self.client = load(f"{PACKAGE}.client").AuthenticatedClient(base_url=url, token=token, timeout=30)
        self.models = load(f"{PACKAGE}.models")
        self.load = load

    def ask(self, operation: str, *where: Any, part: str = "leagues", **given: Any) -> Any:
        """Call an operation; returns its typed answer, which must be no problem document."""
        answer = self.full(operation, *where, part=part, **given)
        assert answer.status_code < 400, answer.content
        return answer.parsed

    def full(self, operation: str, *where: Any, part: str = "leagues", **given: Any) -> Any:
        """Call an operation; returns the answer with status and headers."""
        function = self.load(f"{PACKAGE}.api.{part}.{operation}").sync_detailed
        return function(*where, client=self.client, **given)

    def sheet(self, kind: str, scores: dict[str, float], minutes: int, **more: Any) -> Any:
        """Return a typed game."""
        models = self.models
        results = [models.ResultInputRequest(player=player, score=score) for player, score in scores.items()]
        details = models.GameInputRequestDetails.from_dict({"bula": 30})
        return getattr(models, kind)(
            results=results, details=details, played_at=EVENING + timedelta(minutes=minutes), **more
        )


@pytest.mark.django_db(transaction=True)
def test_a_generated_client_runs_an_evening(live_server: Any, generated: Any) -> None:
    with_token = Rungs(live_server.url, make_token("evening", "organise")[1], generated)
    with with_token.client:
        found(with_token)
        played(with_token)
        corrected(with_token)
        read(with_token)


def found(rungs: Rungs) -> None:
    """Make the league, its rule, the players with their starts, and a ladder."""
    models = rungs.models
    league = rungs.ask("create_league", body=models.LeagueInputRequest(slug="club", title="Club"))
    assert (league.slug, league.rule) == ("club", None)
    rule = rungs.ask("adopt_rule", "club", body=models.RuleInputRequest(system="preferans"))
    assert rule.system == "preferans"
    for handle, rating in STARTS.items():
        player = rungs.ask("add_player", part="players", body=models.PlayerInputRequest(handle=handle))
        assert player.handle == handle
        body = models.LeaguePlayerInputRequest(initial_rating=rating)
        assert rungs.ask("set_initial_rating", "club", handle, body=body).rating == rating
    ladder = models.LadderInputRequest(slug="month", title="Month", method="points", cadence=models.Cadence.MONTH)
    assert rungs.ask("create_ladder", "club", body=ladder).cadence == models.Cadence.MONTH


def played(rungs: Rungs) -> None:
    """Record two games, the first one twice under one key; what is refused names the seat."""
    models = rungs.models
    sheet = rungs.sheet("GameInputRequest", SCORES, 0, external_id="s/1")
    first = rungs.full("record_game", "club", body=sheet, idempotency_key="evening-1")
    again = rungs.full("record_game", "club", body=sheet, idempotency_key="evening-1")
    assert (first.status_code, again.status_code, again.parsed) == (201, 201, first.parsed)
    assert [line.rating_after for line in first.parsed.results] == [1173, 1152, 1125]
    assert first.parsed.status == models.GameStatus.RATED
    second = rungs.ask(
        "record_game", "club", body=rungs.sheet("GameInputRequest", {**SCORES, "marko": -500, "pedja": 40}, 60)
    )
    assert second.id == 2
    unknown = rungs.full("record_game", "club", body=rungs.sheet("GameInputRequest", {**SCORES, "nobody": 0}, 90))
    assert (unknown.status_code, type(unknown.parsed)) == (422, models.ProblemShape)
    assert "/results/3/player" in [error.pointer for error in unknown.parsed.errors]


def corrected(rungs: Rungs) -> None:
    """Correct the second game after a dry run, which tells exactly what comes."""
    models = rungs.models
    body = rungs.sheet("CorrectInputRequest", SCORES, 60, reason="The first two were swapped.")
    diff = rungs.ask("correct_game", "club", 2, body=body, dry_run=True)
    assert (type(diff), diff.games_replayed) == (models.DiffShape, 1)
    etag = rungs.full("get_game", "club", 2).headers["ETag"]
    told = {line.player: line.after for line in diff.ratings}
    game = rungs.ask("correct_game", "club", 2, body=body, if_match=etag)
    assert (game.id, game.replaces) == (3, 2)
    now = {line.player: line.rating_after for line in game.results}
    assert told == {player: now[player] for player in ("pedja", "marko")}  # Johnny's score was right
    stale = rungs.full("correct_game", "club", 3, body=body, if_match=etag)
    assert (stale.status_code, stale.parsed.code) == (412, "changed")


def read(rungs: Rungs) -> None:
    """Read the leaderboard page by page, the ladder, the explanation and the log."""
    rows: list[Any] = []
    after: dict[str, Any] = {}
    while True:
        page = rungs.ask("get_leaderboard", "club", limit=2, **after)
        rows += page.results
        if page.next_ is None:
            break
        after = {"after": page.next_.partition("after=")[2].partition("&")[0]}
    assert [(row.rank, row.player) for row in rows] == [(1, "marko"), (2, "johnny"), (3, "pedja")]
    period = rungs.ask("get_period", "club", "month", "2024-03")
    assert [line.player for line in period.standings] == ["johnny", "marko", "pedja"]
    told = rungs.ask("explain_game", "club", 3)
    for player in told.players:
        total = 0.0
        for part in player.parts:
            total += part.value
        assert total == player.change
    log = rungs.ask("list_changes", "club", limit=1000).results
    assert [entry.kind for entry in log if entry.kind.startswith("game.")] == [
        "game.recorded", "game.recorded", "game.corrected",
    ]  # fmt: skip
    (corrected,) = [entry for entry in log if isinstance(entry, rungs.models.GameCorrectedEntry)]
    assert (corrected.payload.number, corrected.payload.game.number) == (2, 3)
    assert [line.player for line in corrected.payload.game.results] == list(SCORES)
