"""What the log says of requests and tasks as JSON: who, where, how long; no secret, no body, no row."""

import json
import logging
import re
import sys
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection
from django.test import Client, override_settings

from league import tasks
from league.core.accounts.services.tokens import make_token
from league.core.jobs import queue, supervisor
from league.core.monitoring import requests, telemetry
from league.core.monitoring.log_lines import JsonLine, TextFormatter, get_site_part
from league.models import Rating
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.report_builders import link_of, reporting_club

pytestmark = pytest.mark.django_db


class Kept(logging.Handler):
    """Keeps lines of the log as the console's handler writes them."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(JsonLine())
        self.lines: list[dict[str, Any]] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a line; it is one."""
        text = self.format(record)
        assert text.isprintable()
        self.lines.append(json.loads(text))


@pytest.fixture(autouse=True)
def nothing_at_hand() -> None:
    """Begin as a thread does that has done nothing yet."""
    telemetry.DOING.set(None)


@pytest.fixture
def kept() -> Iterator[Kept]:
    """Return what is logged, the log being JSON."""
    handler = Kept()
    logging.getLogger().addHandler(handler)
    with override_settings(RUNGS_LOG="json"):
        yield handler
    logging.getLogger().removeHandler(handler)


def requests_of(kept: Kept) -> list[dict[str, Any]]:
    """Return the lines of requests."""
    return [line for line in kept.lines if line["logger"] == "rungs.request"]


def test_a_request_is_one_line_with_its_number_in_the_answer(kept: Kept) -> None:
    make_league(slug="club")
    with override_settings(RUNGS_LOG="line"):
        assert Client().get("/")["X-Request-ID"]
    assert not requests_of(kept), "a terminal is not told of each request"
    answer = Client().get("/leagues/club/", {"q": "Anna Private"}, headers={"X-Request-ID": "proxy-7"})
    (line,) = requests_of(kept)
    assert answer["X-Request-ID"] == line["request_id"] == "proxy-7"
    expected = {"level": "INFO", "method": "GET", "path": "/leagues/club/", "route": "pages:league", "status": 200}
    assert expected.items() <= line.items()
    assert line["league"] == "club" and line["message"] == "GET /leagues/club/ 200"
    assert line["ms"] > 0 and line["queries"] >= 3 and 0 < line["query_ms"] < line["ms"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", line["time"])
    assert "Private" not in json.dumps(kept.lines)
    assert "user" not in line and "token" not in line


def test_a_number_that_is_none_is_replaced(kept: Kept) -> None:
    for given in ("", "a b", "x" * 65, "né", 'a"b', "a\\nb"):
        answer = Client().get("/", headers={"X-Request-ID": given})
        assert re.fullmatch(r"[0-9a-f]{16}", answer["X-Request-ID"]), given
        assert requests_of(kept)[-1]["request_id"] == answer["X-Request-ID"]


def test_who_asked_is_a_name_or_the_first_letters_of_a_token(kept: Kept) -> None:
    league = make_league(slug="club")
    token, text = make_token("printer", "record")
    body = {
        "results": [{"player": name, "score": score} for name, score in (("anna", 1), ("ben", 0))],
        "note": "S3CRET",
    }
    sent = Client().post(
        f"/api/v1/leagues/{league.slug}/games/",
        {**body, "create_players": True},
        content_type="application/json",
        headers={"Authorization": f"Bearer {text}"},
    )
    client = Client()
    client.force_login(User.objects.create_superuser("olga", "olga@club.example"))
    client.get("/admin/")
    Client().get("/api/v1/leagues/", headers={"Authorization": "Bearer not-a-token"})
    by_token, by_user, by_nobody = requests_of(kept)
    assert (by_token["token"], by_token["league"], by_token["status"]) == (token.prefix, "club", sent.status_code)
    assert (by_user["user"], by_user["route"]) == ("olga", "admin:index")
    assert by_nobody["status"] == 401 and not {"token", "user"} & by_nobody.keys()
    told = json.dumps(kept.lines)
    assert text not in told and "S3CRET" not in told and "not-a-token" not in told and "olga@" not in told


def test_the_secret_of_a_link_is_in_no_field(kept: Kept) -> None:
    secret = link_of(reporting_club(), "anna")
    Client().get(f"/report/{secret}/")
    Client().get(f"/report/{secret}/00000000-0000-0000-0000-000000000000/")
    assert [line["path"] for line in requests_of(kept)] == ["/report/…/", "/report/…/"]
    assert len(kept.lines) > 2
    assert secret not in json.dumps(kept.lines)


def test_what_nobody_sees_is_written_out(kept: Kept) -> None:
    """A terminal that shows the log obeys no stranger: each line is printable, and says what was asked all the same."""
    Client().generic("S3CRET", "/nowhere%0AINFO%1B[2J%C2%9B2J%E2%80%AEtxt%E2%80%A8")
    (line,) = requests_of(kept)
    assert (line["method"], line["status"], line["route"]) == ("OTHER", 404, "")
    assert line["path"] == "/nowhere\nINFO\x1b[2J\x9b2J\u202etxt\u2028"


def test_what_waitress_logs_bears_no_number_of_a_request(kept: Kept) -> None:
    """It speaks of what was never read as a request; this thread has answered another one before."""
    Client().get("/healthz"), Client().get("/", headers={"X-Request-ID": "earlier"})
    logging.getLogger("waitress").warning("Socket error")
    assert "request_id" not in kept.lines[-1]


def test_an_error_is_one_line_with_its_traceback_and_without_the_row(kept: Kept) -> None:
    error = IntegrityError(
        "duplicate key value\nDETAIL:  Key (name)=(Anna Private) already exists.\nin /report/s3cr3t/"
    )
    with patch("league.web.public.views.base.render", side_effect=error):
        answer = Client(raise_request_exception=False).get("/", headers={"X-Request-ID": "here"})
    assert answer.status_code == 500
    (line,) = [line for line in kept.lines if line["level"] == "ERROR"]
    assert line["request_id"] == "here"
    assert line["traceback"].startswith("Traceback (most recent call last)")
    assert "duplicate key value" in line["traceback"] and "/report/…/" in line["traceback"]
    assert "Private" not in json.dumps(kept.lines) and "s3cr3t" not in json.dumps(kept.lines)
    # People at a terminal see no more of it.
    told = TextFormatter("{message}", style="{").formatException((type(error), error, None))
    assert "Private" not in told and "s3cr3t" not in told and "duplicate key value" in told


def test_what_is_streamed_is_told_when_the_last_of_it_is_sent(kept: Kept) -> None:
    league = make_league(slug="club")
    record(league, sheet(("anna", "ben"), (1, 0)))
    answer: Any = Client().get("/api/v1/leagues/club/export/")
    assert answer.streaming and not requests_of(kept)
    assert len(b"".join(answer.streaming_content).splitlines()) > 3
    answer.close()
    (line,) = requests_of(kept)
    assert line["route"] == "api:export" and line["queries"] > 0


def test_a_slow_statement_is_told_by_its_shape(kept: Kept) -> None:
    telemetry.begin_work("slow-one")
    requests.watch_statements()
    requests.watch_statements()
    assert connection.execute_wrappers.count(requests.measure) == 1
    with connection.cursor() as cursor:
        with override_settings(RUNGS_SLOW_QUERY_MS=0):
            cursor.execute("SELECT 'Anna Private', %s", ["Ben"])
        assert not kept.lines
        with patch.object(requests, "perf_counter", iter([0.0, 0.6]).__next__):
            cursor.execute("SELECT 'Anna Private', %s", ["Ben"])
        with patch.object(requests, "perf_counter", iter([0.0, 0.4]).__next__):
            cursor.execute("SELECT 'Anna Private', %s", ["Ben"])
    (line,) = kept.lines
    assert (line["level"], line["logger"], line["request_id"]) == ("WARNING", "rungs.statement", "slow-one")
    assert (line["ms"], line["statement"]) == (600.0, "SELECT '…', %s")
    asked = telemetry.DOING.get()
    assert asked is not None and asked.queries == 3


@pytest.mark.parametrize(
    ("sql", "shape"),
    [
        ("SELECT 1\n  FROM x", "SELECT 1 FROM x"),
        ("SELECT 'it''s' || 'me'", "SELECT '…' || '…'"),
        ("x IN (%s, %s, %s)", "x IN (%s, %s, %s)"),
        ("x IN (%s, %s, %s, %s, %s)", "x IN (%s, …)"),
        ("VALUES (%s, %s), (%s, %s), (%s, %s)", "VALUES (%s, %s), …"),
        ("x" * 3000, "x" * 2000),
    ],
)
def test_the_shape_of_a_statement_is_its_text_without_values(sql: str, shape: str) -> None:
    assert requests.remove_values(sql) == shape


def test_a_task_is_one_line_and_knows_who_asked(kept: Kept) -> None:
    league = make_league(slug="club")
    record(league, sheet(("anna", "ben"), (1, 0)))
    Rating.objects.filter(league=league).update(rating=1.0)  # so that there is something to be done, under the lock
    task = tasks.refresh_current_ratings
    task.apply(args=(league.pk,), headers={"request_id": "asked-it"})
    task.apply(args=(league.pk + 1,))
    done, failed = [line for line in kept.lines if line["logger"] == "rungs.task"]
    assert (done["task"], done["outcome"], done["arguments"]) == ("league.standings", "done", [league.pk])
    assert (done["request_id"], done["league"]) == ("asked-it", "club")
    assert done["ms"] > 0 and done["queries"] > 0
    assert failed["outcome"] == "failed" and re.fullmatch(r"[0-9a-f]{16}", failed["request_id"])
    (raised,) = [line for line in kept.lines if "traceback" in line]
    assert (raised["logger"], raised["request_id"]) == ("celery.app.trace", failed["request_id"])
    # A function that calls another one is one task.
    task(league.pk)
    assert len([line for line in kept.lines if line["logger"] == "rungs.task"]) == 2
    with override_settings(RUNGS_LOG="line", RUNGS_SLOW_QUERY_MS=0):
        task.apply(args=(league.pk,))
    assert len([line for line in kept.lines if line["logger"] == "rungs.task"]) == 2


def test_a_message_says_which_request_asked_for_it() -> None:
    sent: list[Any] = []
    telemetry.begin_work("mine")
    with patch.object(queue, "current_app") as broker:
        broker.conf.broker_url = "redis://nowhere"
        broker.conf.task_always_eager = False
        broker.send_task = lambda task, **options: sent.append((task, options["headers"]))
        queue.pass_to_sender(("league.replay", (1,)))
        assert queue.SENDER.finish(10)
        telemetry.DOING.set(None)
        queue.pass_to_sender(("league.replay", (2,)))
        assert queue.SENDER.finish(10)
    assert sent == [("league.replay", {"request_id": "mine"}), ("league.replay", None)]


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["/srv/rungs/league/web/server.py", "--bind", "0.0.0.0:8000"], "web"),
        (["/lib/celery/__main__.py", "-A", "league", "worker"], "worker"),
        (["/bin/celery", "-A", "league", "beat"], "beat"),
        (["manage.py", "verify", "worker"], "command"),
        ([], "command"),
    ],
)
def test_a_line_says_which_part_of_the_site_wrote_it(arguments: list[str], part: str) -> None:
    assert get_site_part(arguments) == part
    with patch.object(sys, "argv", arguments):
        assert JsonLine().part == part


def test_nothing_of_an_object_that_goes_with_a_record_is_told() -> None:
    line = logging.LogRecord("django.request", logging.WARNING, "", 0, "Gone: %s", ("/report/s3cr3t/",), None)
    line.request = object()  # as Django adds it
    told = json.loads(JsonLine().format(line))
    assert told.keys() == {"time", "level", "logger", "message", "process"}
    assert told["message"] == "Gone: /report/…/"


def test_serve_passes_objects_on_as_they_are(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    supervisor.print_line("Stopping.")
    monkeypatch.setenv("RUNGS_LOG", "json")
    supervisor.print_line('{"message":"x"}', "web")
    supervisor.print_line("Stopping „gleich“.")
    plain, passed, made = capsys.readouterr().out.splitlines()
    assert plain == " serve | Stopping."
    assert passed == '{"message":"x"}'
    assert json.loads(made).items() >= {"message": "Stopping „gleich“.", "process": "serve"}.items()
