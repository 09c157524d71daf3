"""A site may leave out any capability: it starts, its checks pass, the capability's URLs are 404, the rest works."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(__file__).parents[2]
#: Capability -> URLs of it that answer 404 where it is left out.
GONE = {
    "imports": ["/admin/leagues/club/paste/", "/admin/leagues/club/import/", "/api/v1/leagues/club/games/import/"],
    "reports": ["/admin/leagues/club/reports/", "/report/secret/"],
    "notices": ["/admin/leagues/club/notices/", "/accounts/notices/token/"],
    "webhooks": ["/admin/leagues/club/webhooks/", "/api/v1/leagues/club/webhooks/"],
    "laboratory": [
        "/leagues/club/laboratory/", "/leagues/club/health/", "/api/v1/leagues/club/experiments/",
        "/admin/leagues/club/laboratory/", "/admin/leagues/club/second-board/", "/api/v1/leagues/club/health/",
    ],
    "sharing": ["/leagues/club/wall/", "/leagues/club/share/", "/leagues/club/games.atom", "/oembed/"],
    "operations": ["/status/", "/status.json", "/metrics"],
    "competitions": ["/leagues/club/competitions/", "/api/v1/leagues/club/competitions/"],
    # Loaded by a command, and shown where entries are.
    "rating_lists": [],
}  # fmt: skip
#: Capability -> URLs of it that answer 200 whatever else is left out.
OWN = {
    "notices": ["/admin/leagues/club/notices/"],
    "webhooks": ["/admin/leagues/club/webhooks/", "/api/v1/leagues/club/webhooks/"],
    "laboratory": GONE["laboratory"],
    "operations": GONE["operations"],
    "competitions": GONE["competitions"],
}
#: The id of an experiment that was made before the laboratory was left out; the token of /metrics.
JOB = "0e3f7a52-6f0d-4f1c-9d3b-5b8d2f6f9a10"
TOKEN = "a token of sixteen characters"
#: URLs that answer 200 whatever is left out.
STAYS = [
    "/", "/leagues/club/", "/leagues/club/games/", "/leagues/club/games/1/", "/leagues/club/players/anna/",
    "/leagues/club/how/", "/leagues/club/ladders/", "/leagues/club/players/anna/versus/ben/", "/systems/",
    "/admin/", "/admin/leagues/club/", "/admin/leagues/club/record/", "/admin/leagues/club/games/",
    "/admin/leagues/club/games/1/correct/", "/admin/leagues/club/people/", "/admin/leagues/club/people/players/anna/",
    "/admin/leagues/club/settings/", "/admin/leagues/club/rules/", "/admin/leagues/club/log/",
    "/admin/leagues/club/jobs/", "/api/v1/leagues/club/", "/api/v1/leagues/club/leaderboard/",
    "/api/v1/leagues/club/games/1/explanation/", "/api/v1/leagues/club/export/", "/api/v1/schema/", "/robots.txt",
    "/sitemap.xml", "/healthz", "/readyz", "/docs/problems/", f"/admin/leagues/club/jobs/{JOB}/",
    f"/api/v1/jobs/{JOB}/",
    "/admin/leagues/empty/", "/admin/leagues/club/people/players/anna/forget/",
    "/admin/leagues/club/people/players/anna/known/",
]  # fmt: skip
PROGRAM = """
import io, json, re, sys
import django
django.setup()
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.test.utils import setup_test_environment
from django.utils import timezone
setup_test_environment()
call_command("check")
call_command("migrate", verbosity=0)
from tests.helpers.builders import make_league, record, sheet
from league.core.dispatch.nightly import request_verifications
from league.core.dispatch.sweep import run_requested_job
from league.core.players.selectors.accounts import serialize_site_data
from league.core.players.selectors.person import serialize_person
from league.core.players.services.erase import erase_player
from league.core.transfer.selectors.exports import export_lines
from league.core.transfer.services.restore import restore_league
from league.models import Job, League, Player
from league.tasks import every_night, sweep
league = make_league("elo", ("anna", "ben", "cleo"), slug="club")
League.objects.update(has_listeners=True, also_rated_by="glicko2")
record(league, sheet(("anna", "ben"), (1, 0)))
make_league("elo", ("dan", "eva"), slug="empty")
now = timezone.now()
refusal = {"status": 422, "code": "refused", "title": "Refused.", "detail": "There are no games.", "errors": []}
question = {
    "candidates": [{"system": "glicko2", "parameters": {}, "fit": []}], "from": None, "to": None,
    "warm_up_games": 0, "warm_up_share": None, "draws": 100, "until": None, "until_share": None,
}
ended = {"state": "failed", "problem": refusal, "asked_at": now, "ended_at": now, "arguments": {"question": question}}
Job.objects.create(pk=sys.argv[2], league=league, kind="compare", **ended)
client = Client(raise_request_exception=False)
client.force_login(User.objects.create_superuser("olga"))
token = {"authorization": "Bearer " + sys.argv[3]}
found = {
    url: client.get(url, headers=token if url == "/metrics" else {}).status_code for url in json.loads(sys.argv[1])
}
sweep()
every_night()
for name in request_verifications() or [str(Job.objects.get(kind="verify", league=league).pk)]:
    run_requested_job(name)
found["differences"] = Job.objects.filter(kind="verify", league=league).first().result["found"]
serialize_person(Player.objects.get(handle="anna")), serialize_site_data(Player.objects.get(handle="anna"), "olga")
erase_player(Player.objects.get(handle="cleo"), username="olga")
lines = export_lines(league.pk, timezone.now(), aliases=True)
restore_league(io.BytesIO("".join(line + "\\n" for line in lines).encode()), slug="again", by="olga")
schema = client.get("/api/v1/schema/?format=json").content.decode()
references = set(re.findall("#/components/schemas/([A-Za-z0-9_]+)", schema))
found["dangling"] = sorted(references - set(json.loads(schema)["components"]["schemas"]))
print(json.dumps(found))
"""


@pytest.mark.slow("Each starts a process and migrates a database of its own.")
@pytest.mark.one_database("What is left out is left out on both databases.")
@pytest.mark.parametrize("name", settings.CAPABILITIES)
def test_a_site_does_without_a_capability(name: str, tmp_path: Path) -> None:
    environment = {
        **{key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ},
        "DJANGO_SETTINGS_MODULE": "league.settings", "RUNGS_VAR": str(tmp_path), "RUNGS_LEAVE_OUT": name,
        "PYTHONPATH": str(ROOT), "RUNGS_METRICS_TOKEN": TOKEN,
    }  # fmt: skip
    stays = [*STAYS, *(url for other, urls in OWN.items() if other != name for url in urls)]
    urls = json.dumps([*stays, *GONE[name]])
    ended = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", PROGRAM, urls, JOB, TOKEN],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout.splitlines()[-1])
    assert found.pop("differences") == 0
    assert found.pop("dangling") == []
    assert found == {**dict.fromkeys(stays, 200), **dict.fromkeys(GONE[name], 404)}


def test_every_capability_has_urls_that_go_with_it() -> None:
    assert set(GONE) == set(settings.CAPABILITIES)
