"""The clients of clients/, installed from their built files, make every call against a served site."""

import base64
import hashlib
import hmac
import os
import re
import shutil
import sys
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.client_sources import CLIENTS, write_sync_client
from tests.helpers.faulty_site import ANSWERS, faulty_site
from tests.helpers.programs import run
from tests.helpers.sites import Site, running_site

PROGRAMS = Path(__file__).parent / "programs"
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
def python(wheel: Path) -> Runner:
    """Install the wheel into a folder of its own; httpx is that of the tests."""
    target = wheel.parent / "installed"
    uv = str(Path(sys.executable).with_name("uv"))
    run_well([uv, "pip", "install", "--offline", "--no-deps", "--target", str(target), str(wheel)], wheel.parent)

    def run_program(source: Path, *arguments: str, threads: bool = False, **variables: str) -> list[str]:
        text = source.read_text(encoding="utf-8")
        if threads:
            text = write_sync_client(text).replace("asyncio.run(main())", "main()")
        program = wheel.parent / source.name
        program.write_text(text, encoding="utf-8")
        check = [sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull, str(program)]
        run_well(check, wheel.parent, MYPYPATH=str(target))
        path = {"PYTHONPATH": str(target)}
        return run_well([sys.executable, str(program), *arguments], wheel.parent, **path, **variables).splitlines()

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
    del one.environment["RUNGS_INLINE_GAMES"]  # nothing waits for a worker
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


def test_the_wheel_holds_the_package_and_wants_httpx_alone(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (name for name in names if name.endswith("/METADATA"))
        text = archive.read(metadata).decode()
    assert {name.partition("/")[0] for name in names if ".dist-info" not in name} == {"rungs_client"}
    assert "rungs_client/py.typed" in names
    assert re.findall("^Requires-Dist: (.*)$", text, re.MULTILINE) == ["httpx<1,>=0.27"]
