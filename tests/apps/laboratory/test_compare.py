"""``manage.py compare``: tables with intervals and sentences, JSON, and refusals."""

import json
import re
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.helpers.experiment_builders import club
from tests.helpers.ladder_builders import tables
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db


def run_compare(*arguments: str, **options: Any) -> str:
    """Return the command's output."""
    out = StringIO()
    call_command("compare", "club", *arguments, stdout=out, **options)
    return out.getvalue()


@long_way
def test_the_command_prints_a_table_and_writes_nothing() -> None:
    club()
    before = tables()
    lines = run_compare("--system", "elo:k=40", "--system", "glicko2:tau=0.7", "--system", "preferans").splitlines()
    assert tables() == before
    assert lines[0].startswith("Games 60, Warm-up 12, Games evaluated 48, ")
    head, *rows = lines[2:7]
    titles = ["Correct order, %", "Prediction error (log loss)", "Squared error (Brier score)", "Score error"]
    assert re.split(" {2,}", head.strip()) == titles
    assert [row.split("  ")[0] for row in rows] == [
        "Elo, K = 40",
        "Glicko-2, Volatility change τ = 0.7",
        "Always even",
        "Points per game",
    ]
    # Always even predicts ½ for each game and orders no one: a log loss of ln 2, and half of the order.
    assert rows[2].split()[2] == "50.0"
    assert "0.6931" in rows[2]
    assert head.index("Prediction error") == rows[2].index("0.6931"), "values are aligned with their titles"
    assert any(line.startswith("Preferans: ") and "3 players" in line for line in lines)


def test_json_prints_the_report() -> None:
    club()
    report = json.loads(run_compare("--system", "elo", "--from", "2024-01-11", "--warm-up", "0", "--json"))
    # Two games an evening from 1 January on: 30 evenings, of which 20 are left.
    assert (report["games"], report["warm_up"], report["judged"], report["evenings"]) == (40, 0, 40, 20)
    assert [one["key"] for one in report["measured"]] == ["elo", "even", "points"]
    counted = json.loads(run_compare("--system", "elo", "--to", "2024-01-26", "--warm-up", "10", "--json"))
    assert (counted["games"], counted["warm_up"]) == (50, 10)


def test_invalid_arguments_are_refused() -> None:
    club()
    fit = ["--system", "elo", "--fit", "k"]
    for arguments, sentence in (
        (["--system", "chess"], "There is no rating system “chess”"),
        (["--system", "elo:k=-3"], "K must"),
        (["--system", "elo:40"], "“40” contains no parameters"),
        (["--system", "elo", "--from", "soon"], "“soon” is not a date"),
        (["--system", "elo", "--warm-up", "half"], "“half” is not a warm-up"),
        (["--system", "elo", "--warm-up", "59"], "Not enough games"),
        ([f for _ in range(7) for f in ("--system", "elo")], "1 to 6 systems; you chose 7"),
        ([*fit, "--until", "1"], "10 to 90%"),
        ([*fit, "--fit", "tau"], "tau"),
        ([*fit, "--to", "2024-01-03"], "Not enough games|few"),
    ):
        with pytest.raises(CommandError, match=sentence.replace("(", r"\(")):
            run_compare(*arguments)


def test_an_unknown_league_is_refused_by_name() -> None:
    with pytest.raises(CommandError, match="There is no league “club”"):
        run_compare("--system", "elo")


@long_way
def test_a_parameter_is_fitted_to_earlier_games_and_evaluated_on_later_ones() -> None:
    club(160)
    before = tables()
    lines = run_compare("--system", "elo:k=1", "--system", "glicko2", "--fit", "k").splitlines()
    assert tables() == before
    assert lines[0].startswith("Games 160, Earlier games 80, Games evaluated 80, ")
    was, now = lines[1].split(" → ")
    # Who is better wins four of five games here: one point a game is far too slow.
    assert was == "Elo, K = 1: K 1"
    assert float(now) > 5
    assert [line.split("  ")[0] for line in lines[4:7]] == ["Elo, K = 1", f"Elo, K = {now}", "Glicko-2"]
    report = json.loads(run_compare("--system", "elo:k=1", "--fit", "k", "--until", "0.25", "--json"))
    (fit,) = report["fits"]
    assert (fit["found"]["until"], fit["found"]["warm_up"], fit["found"]["fitted"][0]["parameter"]) == (40, 8, "k")
