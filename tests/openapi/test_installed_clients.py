"""The clients of clients/, installed from their built files, make every call against a served site."""

import base64
import hashlib
import hmac
import os
import re
import runpy
import shutil
import sys
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.helpers.client_sources import CLIENTS, write_sync_client
from tests.helpers.faulty_site import ANSWERS, faulty_site
from tests.helpers.pages import blocks_in
from tests.helpers.processes import wait_for
from tests.helpers.programs import run
from tests.helpers.receiver import Receiver, Request, receiving
from tests.helpers.sites import Site, running_site

PROGRAMS = Path(__file__).parent / "programs"
DOCS = CLIENTS.parent / "docs" / "clients"
#: How a program is run: with a client, in a folder, with variables; returns its lines.
Runner = Callable[..., list[str]]
TOKEN = "rungs_canary_of_the_tests"
#: Standard Webhooks: a secret, what was sent, and its signature after that of another secret.
SECRET_BYTES = bytes(range(24))
SECRET = f"whsec_{base64.b64encode(SECRET_BYTES).decode()}"
BODY = '{"type":"game.voided","timestamp":"2024-03-05T20:01:07Z","data":{"league":"club","position":1,"by":"žofie"}}'
ID, TIMESTAMP = "msg_1", "1709668867"
SIGNED = base64.b64encode(hmac.digest(SECRET_BYTES, f"{ID}.{TIMESTAMP}.{BODY}".encode(), hashlib.sha256)).decode()
WEBHOOK = {
    "SECRET": SECRET,
    "BODY": BODY,
    "ID": ID,
    "TIMESTAMP": TIMESTAMP,
    "SIGNATURE": f"v1,{base64.b64encode(bytes(32)).decode()} v1,{SIGNED}",
}
#: What the programs print: two new players under Elo with K 32; the games 2 to 5 are those of names.
CALLS = """\
record 1 16 -16
refused 422 refused /results/0/player ben1 ben2
resolved ben1 anna Ben
choose Ben ben1 ben2
chosen 3 ben2 anna
choose Ben ben1 ben2
chosen 3 ben2 anna
choose Ben ben1 ben2
many 201 5 ben2
many 201 4 cleo
many 422 unknown_player
choose Ben ben1 ben2
many 201 5 ben2
many 201 4 cleo
many 422 unknown_player
lookup arena:3=anna:4 cleo=cleo:1
lookup 999 Ben 7
preview 3
balance anna,ben1 ben2,cleo
board ben1 cleo ben2 anna
history 2 3 4 5
stream game.recorded game.recorded game.recorded game.recorded
refused 400 invalid
refused 404 not_found
webhook game.voided 1
webhook The signature is not that of the secret and the body.
webhook The webhook is too old, or a clock is wrong.""".splitlines()
FAULTS = """\
passing 7
long 503 busy Come back.
proxy 502 unknown The server answered 502, and not as Rungs does. Check the address of the site.
refusing 422 refused Nobody plays alone.
dead no answer
entry 1 server-7
entry 2 a\\u2028b
entry 3 server-7
entry 4 a\\u017eb""".splitlines()
TOKEN_HELP = "A token is one word without spaces or line ends; copy it again."


def run_well(command: list[str], folder: Path, **variables: str) -> str:
    """Run a program, which must end well; returns what it prints. Neither output shows a token."""
    done = run(command, folder, **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    if token := variables.get("TOKEN"):
        assert token not in done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel of the client for Python from a copy."""
    folder = tmp_path_factory.mktemp("python")
    shutil.copytree(CLIENTS / "python", folder / "source", ignore=shutil.ignore_patterns("__pycache__", "dist"))
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    run_well(build, folder / "source")
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path) -> Path:
    """Install the wheel into a folder of its own; httpx is that of the tests."""
    target = wheel.parent / "installed"
    uv = str(Path(sys.executable).with_name("uv"))
    run_well([uv, "pip", "install", "--offline", "--no-deps", "--target", str(target), str(wheel)], wheel.parent)
    return target


def check_types(program: Path, installed: Path) -> None:
    """Check a program against the types of the installed client."""
    check = [sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull, str(program)]
    run_well(check, installed.parent, MYPYPATH=str(installed))


@pytest.fixture(scope="module")
def python(installed: Path) -> Runner:
    """Return what checks and runs a program with the installed client."""

    def run_program(source: Path, *arguments: str, threads: bool = False, **variables: str) -> list[str]:
        text = source.read_text(encoding="utf-8")
        if threads:
            text = write_sync_client(text).replace("asyncio.run(main())", "main()")
        program = installed.parent / source.name
        program.write_text(text, encoding="utf-8")
        check_types(program, installed)
        path = {"PYTHONPATH": str(installed)}
        return run_well([sys.executable, str(program), *arguments], installed.parent, **path, **variables).splitlines()

    return run_program


@pytest.fixture(scope="module")
def typescript(tools: Path, tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """Compile and pack the client for TypeScript from a copy, and install it into an empty folder."""
    source, folder = tmp_path_factory.mktemp("typescript") / "source", tmp_path_factory.mktemp("program")
    shutil.copytree(CLIENTS / "typescript", source, ignore=shutil.ignore_patterns("node_modules", "dist"))
    run_well([str(tools / "tsc"), "--project", "."], source)
    run_well(["npm", "pack", "--pack-destination", str(source)], source)
    (packed,) = source.glob("*.tgz")
    (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    run_well(["npm", "install", "--offline", "--no-audit", "--no-fund", str(packed)], folder)
    assert [path.name for path in (folder / "node_modules").glob("[!.]*")] == ["@rungs"]

    def run_program(source: Path, *arguments: str, **variables: str) -> list[str]:
        shutil.copy(source, folder)
        # skipLibCheck spares TypeScript's own libraries, which are somebody else's.
        options = ["--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom"]
        run_well([str(tools / "tsc"), *options, source.name], folder)
        return run_well(["node", f"{source.stem}.js", *arguments], folder, **variables).splitlines()

    return run_program


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Serve a site as an operator does: its streams go on."""
    one = Site(tmp_path_factory.mktemp("site"))
    del one.environment["RUNGS_INLINE_GAMES"]  # no rating waits for a worker
    one.environment["RUNGS_WEBHOOKS_PRIVATE"] = "1"
    with running_site(one):
        yield one


@pytest.fixture
def league(site: Site, request: pytest.FixtureRequest) -> str:
    """Make a league of its own for a test, with the four people of the site."""
    slug = re.sub(r"\W|_", "-", request.node.name.lower())[-30:].strip("-")
    site.call(
        "POST", "/api/v1/leagues/", {"slug": slug, "title": slug, "rule": {"system": "elo", "parameters": {"k": 32}}}
    )
    return slug


@pytest.fixture(scope="module", autouse=True)
def people(site: Site) -> None:
    """Make the people: two have the same name."""
    for number, (handle, name) in enumerate([("ben1", "Ben"), ("ben2", "Ben"), ("anna", "Anna"), ("cleo", "Cleo")], 1):
        body = {"handle": handle, "name": name, "external_ids": {"arena": str(number)}}
        site.call("POST", "/api/v1/players/", body)


def variables(site: Site, league: str) -> dict[str, str]:
    """Return what the programs read."""
    return {"URL": f"http://127.0.0.1:{site.port}", "TOKEN": site.token, "LEAGUE": league, **WEBHOOK}


@pytest.mark.parametrize("threads", [False, True])
def test_python_makes_every_call(python: Runner, site: Site, league: str, threads: bool) -> None:
    assert python(PROGRAMS / "calls.py", threads=threads, **variables(site, league)) == CALLS


def test_typescript_makes_every_call(typescript: Runner, site: Site, league: str) -> None:
    assert typescript(PROGRAMS / "calls.ts", **variables(site, league)) == CALLS


@pytest.fixture
def faulty(tmp_path: Path) -> Iterator[Any]:
    """Serve a site that fails, and look at what it was asked."""
    with faulty_site() as one:
        yield one
    asked = {league: dict(keys) for league, keys in one.keys.items()}
    attempts = {"passing": 4, "long": 1, "proxy": 4, "refusing": 1, "dead": 4}
    assert asked == {league: {f"key-{league}": attempts[league]} for league in ANSWERS}
    assert one.last_events == ["0", "2"]


@pytest.mark.parametrize("threads", [False, True])
def test_python_outlives_faults(python: Runner, faulty: Any, threads: bool) -> None:
    lines = python(PROGRAMS / "faults.py", threads=threads, URL=faulty.url, TOKEN=TOKEN)
    assert lines == [*FAULTS, *[TOKEN_HELP] * 3]


def test_typescript_outlives_faults(typescript: Runner, faulty: Any) -> None:
    lines = typescript(PROGRAMS / "faults.ts", URL=faulty.url, TOKEN=TOKEN)
    assert lines == [*FAULTS, *[TOKEN_HELP] * 3]


def check_match(run_program: Runner, example: Path, site: Site, league: str, newcomers: Sequence[str]) -> None:
    """Check what a game server prints: who joins, two sides of two, what each wins or loses, and the log."""
    lines = run_program(example, "1", *newcomers, **variables(site, league))
    accounts = [f"arena:{number}" for number in newcomers]
    assert lines[:4] == ["arena:1 is ben1, who has played 0", *(f"{account} is new" for account in accounts)]
    (sides,) = [line for line in lines if " against " in line]
    assert sorted(re.split(" and | against ", sides)) == [*accounts, "ben1"]
    assert sides.count(" and ") == 2
    changes = [line.split()[-1] for line in lines if re.search(r" [+-]\d", line)]
    assert changes == ["+16.00", "+16.00", "-16.00", "-16.00"]
    # The log is followed while the match is recorded.
    assert [line for line in lines if line.startswith("log")] == [*["log player.created"] * 3, "log game.recorded"]


def test_the_game_server_in_python_runs_a_match(python: Runner, site: Site, league: str) -> None:
    check_match(python, CLIENTS / "python" / "examples" / "game_server.py", site, league, ("31", "32", "33"))


def test_the_game_server_in_typescript_runs_a_match(typescript: Runner, site: Site, league: str) -> None:
    check_match(typescript, CLIENTS / "typescript" / "examples" / "game-server.ts", site, league, ("41", "42", "43"))


@pytest.fixture
def kit(installed: Path, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Return the code of docs/clients/queue-kit.md as a module."""
    monkeypatch.syspath_prepend(installed)
    program = installed.parent / "ranked_queue.py"
    blocks = blocks_in((DOCS / "queue-kit.md").read_text(encoding="utf-8"), "python")
    program.write_text("\n\n".join(blocks), encoding="utf-8")
    check_types(program, installed)
    return SimpleNamespace(**runpy.run_path(str(program)))


def test_the_queue_kit_chooses_who_is_near_and_keeps_tiers_at_their_bounds(kit: SimpleNamespace) -> None:
    party, far, near = (
        kit.Ticket(("a", "b"), 5.0, 1540.0),
        kit.Ticket(("c",), 3.0, 1561.0),
        kit.Ticket(("d",), 4.0, 1449.0),
    )
    first, couple = kit.Ticket(("e",), 2.0, 1500.0), kit.Ticket(("f", "g"), 2.5, 1501.0)
    assert kit.choose([], 2.0) == []
    assert kit.choose([party, far, first], 2.0) == []  # one seat is free, and whoever could take it is too far
    assert kit.choose([party, far, first], 3.1) == [first, party, far]
    assert kit.choose([party, near, first, couple], 2.2) == [first, couple, near]
    bounds = kit.choose_bounds([float(rating) for rating in range(1000, 3000, 100)])
    assert bounds == [2400.0, 2900.0]
    tiers = [0]
    for rating in (2414, 2415, 2385, 2384.9, 2915, 2400, 2300):
        tiers.append(kit.move(tiers[-1], rating, bounds))
    assert tiers[1:] == [0, 1, 1, 0, 2, 1, 0]


def test_the_queue_kit_runs_a_queue(kit: SimpleNamespace, site: Site) -> None:
    rule = {"system": "elo", "parameters": {"k": 32}}
    site.call("POST", "/api/v1/leagues/", {"slug": kit.LEAGUE, "title": "Arena", "rule": rule})
    with receiving() as receiver, kit.Rungs(f"http://127.0.0.1:{site.port}", site.token) as rungs:
        secret = site.call("POST", f"/api/v1/leagues/{kit.LEAGUE}/webhooks/", {"url": receiver.url})["secret"]
        accounts = [f"arena:{number}" for number in range(61, 65)]
        party, *_ = tickets = [kit.Ticket(tuple(accounts[:2]), 0.0), *(kit.Ticket((one,), 1.0) for one in accounts[2:])]
        waiting = list(tickets)
        split = kit.find_match(rungs, waiting, 1.0)
        assert (waiting, split["quality"]) == ([], 1.0)
        winner = [set(side["players"]) for side in split["sides"]].index(set(party.accounts))
        game, again = (kit.finish(rungs, "match-1", split, winner) for _ in range(2))
        assert game["number"] == again["number"] == 1
        assert sorted(line["rating_after"] for line in game["results"]) == [1484.0, 1484.0, 1516.0, 1516.0]
        # After another win the party has more than 1530, the others less than 1470: 0.41 is expected of these.
        kit.finish(rungs, "match-2", split, winner)
        waiting = list(tickets)
        assert (kit.find_match(rungs, waiting, 2.0), len(waiting)) == (None, 3)
        assert (kit.find_match(rungs, waiting, 9.0) is not None, waiting) == (True, [])
        check_webhooks(kit, receiver, secret, accounts)
        bounds = [1510.0, 1600.0]
        assert [kit.read_tier(rungs, account, bounds) for account in accounts[1:3]] == ["silver", "bronze"]
        site.call("POST", f"/api/v1/leagues/{kit.LEAGUE}/games/2/void/", {"reason": "It was abandoned."})
        voided = receive(receiver, "game.voided")
        assert kit.hear(secret, voided.headers, voided.body, set()) is None
        assert kit.read_tier(rungs, accounts[1], bounds) == "bronze"


def receive(receiver: Receiver, kind: str) -> Request:
    """Return the first webhook of a kind, when it has come."""
    wait_for(lambda: any(one.data["type"] == kind for one in receiver.came), 60)
    return next(one for one in receiver.came if one.data["type"] == kind)


def check_webhooks(kit: SimpleNamespace, receiver: Receiver, secret: str, accounts: Sequence[str]) -> None:
    """Check what the kit hears of a game: the players' ids once, and nothing that was changed on the way."""
    came = receive(receiver, "game.recorded")
    seen: set[str] = set()
    assert kit.hear(secret, came.headers, came.body, seen) == set(accounts)
    assert kit.hear(secret, came.headers, came.body, seen) == set()
    with pytest.raises(ValueError, match="signature"):
        kit.hear(secret, came.headers, came.body.replace(b"game", b"gone"), seen)


def test_the_wheel_holds_the_package_and_wants_httpx_alone(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (name for name in names if name.endswith("/METADATA"))
        text = archive.read(metadata).decode()
    assert {name.partition("/")[0] for name in names if ".dist-info" not in name} == {"rungs_client"}
    assert "rungs_client/py.typed" in names
    assert re.findall("^Requires-Dist: (.*)$", text, re.MULTILINE) == ["httpx<1,>=0.27"]
