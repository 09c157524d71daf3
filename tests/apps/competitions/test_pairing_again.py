"""The last round of drawn tournaments, imported over the API without it, is paired as FIDE's checker did."""

import re

import pytest

from tests.apps.competitions.files.trf_texts import generate_trf
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league
from tests.helpers.tiers import mark_slow

#: Where rounds begin in the line of a player, and how wide each is.
FIRST, WIDTH = 91, 10
COMPETITIONS = "leagues/club/competitions/"


def leave_out_last_round(text: str, rounds: int) -> tuple[str, set[tuple[int, int]]]:
    """Return a file without its last round but for the byes that were asked for, and the games of that round."""
    lines, games = [], set()
    for line in text.splitlines():
        start = FIRST + WIDTH * (rounds - 1)
        cell = line[start:].strip()
        if line.startswith("001") and not re.fullmatch(r"0000 - [ZHF]", cell):
            opponent, colour, _result = cell.split()
            if colour == "w":
                games.add((int(line[4:8]), int(opponent)))
            line = line[:start]
        lines.append(line.rstrip())
    return "\n".join(lines), games


@pytest.mark.django_db
@pytest.mark.parametrize("seed", mark_slow(range(1, 13), "Many tournaments of one rule.", but=[3]))
def test_the_last_round_is_paired_again_as_the_checker_did(seed: int) -> None:
    make_league(players=())
    api = Api("organise")
    file, games = leave_out_last_round(generate_trf(seed, players=10 + seed, rounds=5), 5)
    made = api.post_file(f"{COMPETITIONS}import/?create_players=true", file, "application/x-trf")
    assert (made.status_code, made.data.get("rounds")) == (201, 4), made.data
    proposed = api.post(f"{COMPETITIONS}{made.data['slug']}/rounds/?dry_run=true", {})
    assert (proposed.status_code, proposed.data["number"]) == (200, 5), proposed.data
    assert {tuple(one["entries"]) for one in proposed.data["fixtures"] if one["status"] == "planned"} == games
    assert len(games) > 3
