"""``rungs check`` and ``rungs generate``: exit codes, options, and that they need neither Django nor a database."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from league.cli.main import main
from league.cli.tournament_commands import decode

ROOT = Path(__file__).parents[2]
#: Draws and checks a tournament, and prints which of these packages were imported for it.
BOTH = """
import sys
from league.cli.main import main
drawn = main(["generate", "-g", "-o", "drawn.trf", "-s", "5", "--players", "8", "--rounds", "3"])
checked = main(["check", "drawn.trf", "-c"])
print([drawn, checked], sorted({"django", "celery", "scipy", "rest_framework", "league.settings"} & set(sys.modules)))
"""
SMALL = ("--players", "8", "--rounds", "3")


def test_both_need_neither_django_nor_a_database(tmp_path: Path) -> None:
    given = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    given |= {"PYTHONPATH": str(ROOT), "DATABASE_URL": "nonsense", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-c", BOTH], cwd=tmp_path, env=given, capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines()[-1] == "[0, 0] []", done.stderr


def test_exit_codes_and_reports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "drawn.trf"
    assert main(["generate", *SMALL, "-o", str(file), "-s", "5"]) == 0
    assert capsys.readouterr().err == "Seed: 5\n"
    assert main(["check", str(file)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "Checked: 3 rounds, 8 places. Differences: 0."
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("062 8", "062 9"), encoding="utf-8")
    assert main(["check", str(file), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [(one["code"], one["differs"]) for one in found["findings"] if one["differs"]] == [("count_differs", True)]
    file.write_text("Not a report.", encoding="utf-8")
    assert main(["check", str(file)]) == 2
    assert main(["check", str(tmp_path / "none.trf")]) == 2
    assert main(["check", str(file), "--encoding", "klingon"]) == 2
    assert "none.trf: No such file or directory." in capsys.readouterr().err


def test_the_seed_draws_the_same_and_none_another(capsys: pytest.CaptureFixture[str]) -> None:
    drawn = []
    for seed in (["-s", "9"], ["-s", "9"], [], []):
        assert main(["generate", *SMALL, *seed]) == 0
        drawn.append(capsys.readouterr().out)
    assert drawn[0] == drawn[1] and len(set(drawn)) == 3


def test_options_count_before_the_file_of_settings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text('players = 12\nrounds = 2\ntie_breaks = ["BH"]\n', encoding="utf-8")
    given = ["--players", "6", "--ratings", "2000,1900,1800,1700,1600,1500", "--tie-breaks", "SB,WIN"]
    assert main(["generate", str(settings), *given, "--forfeits", "0", "-s", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {"062 6", "072 6", "142 2", "202 SB,WIN"} <= set(lines)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--players", "1"], "“players” is from 2 to 2000, not 1."),
        (["none.toml"], "none.toml: No such file or directory."),
        ([*SMALL, "-o", "no/such/folder.trf"], "no/such/folder.trf: No such file or directory."),
    ],
)
def test_what_cannot_be_drawn_is_a_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["generate", *arguments]) == 2
    assert capsys.readouterr().err == f"rungs generate: {sentence}\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--forfeits", "2"], "“2” is not a share from 0 to 1."),
        (["--forfeits", "few"], "“few” is not a share from 0 to 1."),
        (["--ratings", "high"], "“high” is not a list of ratings"),
    ],
)
def test_wrong_options(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["generate", *arguments])
    assert sentence in capsys.readouterr().err


def test_any_encoding_keeps_the_columns() -> None:
    assert decode("Žák".encode(), "") == decode("\ufeffŽák".encode(), "") == decode("Žák".encode("utf-16"), "") == "Žák"
    assert len(decode("Žák".encode("windows-1250"), "")) == 3
    assert decode("Žák".encode("windows-1250"), "windows-1250") == "Žák"
    with pytest.raises(ValueError, match="larger than 8 MB"):
        decode(b" " * (8 * 1024 * 1024 + 1), "")
