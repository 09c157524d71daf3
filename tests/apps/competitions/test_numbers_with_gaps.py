"""Competitions whose entries have other numbers than 1 to n: imported, paired, played, finished and exported."""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from league.core.verify.run import verify_league
from league.models import League
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league
from tests.helpers.tiers import TIER, long_way, mark_slow

pytestmark = pytest.mark.django_db
PLAYERS = ("ann", "bea", "cid", "dot", "eve", "fay", "gus", "hal", "ivo")
FORMATS = ("swiss", "round_robin", "knockout")


def describe(numbers: Sequence[int], format_key: str) -> dict[str, Any]:
    """Return the document of a competition without rounds; the last entry asks for a bye, two must not meet."""
    entries = [
        {"number": number, "players": [{"handle": handle}], "rating": 2000 - 10 * at}
        for at, (number, handle) in enumerate(zip(numbers, PLAYERS, strict=False))
    ]
    if format_key == "swiss":
        entries[-1]["byes"] = [{"round": 2, "kind": "half_bye"}]
        entries[0]["not_against"], entries[1]["not_against"] = [numbers[1]], [numbers[0]]
    settings = {
        "title": "Cup",
        "format": format_key,
        "rounds": 3 if format_key == "swiss" else None,
        "parameters": {"swiss": {"first_colour": "white"}, "knockout": {"level": "seed"}}.get(format_key, {}),
        "starts": "2024-03-05T10:00:00Z",
    }
    return {"document": "rungs-competition", "version": 1, "competition": settings, "entries": entries, "rounds": []}


def play_out(api: Api, league: str, numbers: Sequence[int], format_key: str, random: Random) -> list[Any]:
    """Import and play out a competition; return all rounds and standings, by the places of the numbers."""
    imported = api.post(f"leagues/{league}/competitions/import/", describe(numbers, format_key))
    assert imported.status_code == 201, imported.data
    address, seen = f"leagues/{league}/competitions/cup/", list[Any]()
    places = {number: place for place, number in enumerate(numbers)}
    for number in range(1, 100):
        made = api.post(f"{address}rounds/", {})
        if made.status_code == 422:
            break
        assert made.status_code == 201, made.data
        published = api.post(f"{address}rounds/{number}/publish/", None)
        assert published.status_code == 200, published.data
        seen.append([[fixture["kind"], *(places[e] for e in fixture["entries"])] for fixture in made.data["fixtures"]])
        for fixture in made.data["fixtures"]:
            if fixture["kind"] == "game":
                first = random.choice([1, 0]) if format_key == "knockout" else random.choice([1, 0.5, 0])
                results = [{"score": first}, {"score": 1 - first}]
                answer = api.post(f"{address}fixtures/{fixture['id']}/result/", {"results": results})
                assert answer.status_code in (200, 201), answer.data
    standings = api.get(f"{address}standings/").data["results"]
    rows = [
        # The tie-break TPN is the number itself.
        (places[row["entry"]["number"]], row["rank"], row["points"], {**row["tie_breaks"], "TPN": 0})
        for row in standings
    ]
    cross = api.get(f"{address}cross-table/")
    assert (cross.status_code, len(cross.data["results"])) == (200, len(numbers))
    assert api.post(f"{address}finish/", {}).status_code == 200
    for kind in ("json", "csv", "trf16", "trf26"):
        assert api.get(f"{address}export/?format={kind}").status_code == 200
    for page in ("", "entries/", "rounds/1/", "cross-table/", "fixtures/", f"entries/{numbers[-1]}/"):
        assert api.client.get(f"/leagues/{league}/competitions/cup/{page}").status_code == 200, page
    assert list(verify_league(League.objects.get(slug=league).pk).differences) == []
    return [*seen, rows]


@long_way
@pytest.mark.parametrize("format_key", mark_slow(FORMATS, "Fewer numbers decide.", but=["swiss"]))
def test_drawn_numbers_are_played_like_one_to_n(format_key: str) -> None:
    api, random = Api("organise"), Random(format_key)
    for at in range(2 if TIER == "all" else 1):
        size = random.randint(5, len(PLAYERS))
        numbers = sorted(random.sample(range(1, random.choice([size + 3, 9999])), size))
        seed, plain = random.random(), f"plain{at}"
        for slug in (plain, f"drawn{at}"):
            make_league("elo", PLAYERS, slug=slug)
        expected = play_out(api, plain, range(1, size + 1), format_key, Random(seed))
        assert len(expected) > 3
        assert play_out(api, f"drawn{at}", numbers, format_key, Random(seed)) == expected, numbers


def test_an_entry_after_the_highest_number_gets_a_free_one() -> None:
    make_league("elo", PLAYERS)
    api = Api("organise")
    numbers = (3, 4, 9998)
    assert api.post("leagues/club/competitions/import/", describe(numbers, "swiss")).status_code == 201
    late = [{"player": handle} for handle in PLAYERS[3:6]]
    added = api.post("leagues/club/competitions/cup/entries/", late)
    assert added.status_code == 201, added.data
    entries = api.get("leagues/club/competitions/cup/entries/").data["results"]
    assert [(entry["number"], entry["player"]) for entry in entries] == [
        (1, "eve"), (2, "fay"), (3, "ann"), (4, "bea"), (9998, "cid"), (9999, "dot"),
    ]  # fmt: skip
    changed = api.patch("leagues/club/competitions/cup/entries/9999/", {"not_against": [9998]})
    assert (changed.status_code, changed.data["not_against"]) == (200, [9998])
