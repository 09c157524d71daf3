"""What a system says of itself, for the API and for the page."""

from typing import Any

from ratings.contract.system import GameField, format_player_count
from ratings.describe.describing import build_game_schema, describe
from ratings.registry import get_system
from ratings.systems.durak import Durak
from ratings.systems.elo import Elo
from ratings.systems.serpentine import Serpentine
from tests.helpers.dropping import every_system_there_is


def preferans() -> dict[str, Any]:
    """Describe the system that has a game field."""
    return describe(get_system("preferans"))


def test_how_many_may_play_is_said_in_numbers_and_in_words() -> None:
    assert preferans()["players"] == {"min": 3, "max": 3, "words": "3 players"}
    assert describe(Durak)["players"] == {"min": 2, "max": None, "words": "2 or more players"}


def test_a_range_of_players_is_said_as_one() -> None:
    class Whist(Elo):
        max_players = 7

    assert format_player_count(Whist) == format_player_count(Whist()) == "2 to 7 players"


def test_what_a_result_holds() -> None:
    assert describe(Durak)["result_fields"] == {
        "score": "optional",
        "place": "required",
        "ties": False,
        "lowest_score": -1e9,
    }
    assert describe(Serpentine)["result_fields"]["lowest_score"] == 0


def test_game_fields_are_a_json_schema() -> None:
    schema = preferans()["game_fields"]
    assert schema["required"] == ["bula"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["bula"]["minimum"] == 0.01
    assert schema["properties"]["bula"]["examples"] == [30]
    assert describe(Elo)["game_fields"]["properties"] == {}


def test_the_schema_of_a_game_field() -> None:
    rounds = build_game_schema([GameField("rounds", "Rounds", 1, 9, "How many.", example=4)])["properties"]["rounds"]
    assert rounds == {
        "title": "Rounds",
        "description": "How many.",
        "type": "number",
        "minimum": 1,
        "maximum": 9,
        "examples": [4],
    }


def test_a_worked_example_stands_beside_what_the_kernel_computes_now() -> None:
    (example,) = preferans()["examples"]
    assert [seat["name"] for seat in example["inputs"]] == ["Pedja", "Marko", "Johnny"]
    assert [seat["rating"] for seat in example["inputs"]] == [1200, 1150, 1100]
    assert example["details"] == {"bula": 30}
    assert example["expected"]["after"] == [1173, 1152, 1125]
    assert [seat["after"]["rating"] for seat in example["computed"]["seats"]] == [1173, 1152, 1125]


def test_an_example_without_names_names_the_seats_and_says_how_exactly_it_is_printed() -> None:
    (example,) = describe(Durak)["examples"]
    assert [seat["name"] for seat in example["inputs"]] == ["Seat 1", "Seat 2", "Seat 3", "Seat 4"]
    assert example["expected"]["figures"]["raw"]["tolerance"] == 5e-7
    assert example["expected"]["figures"]["mean_a"] == {"values": [0.788, 0.667, 0.546, 0.0], "tolerance": 5e-4}


def test_checks_laws_presets_and_rulings_are_told() -> None:
    told = describe(Durak)
    assert [(check["expected"], check["computed"]) for check in told["checks"]] == [
        (820, 820),
        (910, 910),
        (940, 940),
        (964, 964),
        (982, 982),
    ]
    assert [law["key"] for law in told["laws"]] == ["fixed_total"]
    assert told["presets"][0]["parameters"] == {"scale": 800}
    assert told["presets"][0]["values"] == {**Durak.defaults(), "scale": 800}
    assert [ruling["number"] for ruling in told["rulings"]] == ["R9", "R10", "R118"]
    assert told["parameters"]["properties"]["scale"]["default"] == 400


def test_the_state_is_told_with_bounds_and_decimals_the_rating_first() -> None:
    (dropped_weng_lin,) = [describe(system) for system in every_system_there_is() if system.key == "dropped_weng_lin"]
    assert dropped_weng_lin["state"] == [
        {"key": "mu", "symbol": "μ", "label": "Mean", "help": "", "low": -5000.0, "high": 5000.0, "decimals": 2},
        {
            "key": "sigma",
            "symbol": "σ",
            "label": "Deviation",
            "help": "How far off the mean may be.",
            "low": 0.001,
            "high": 100.0,
            "decimals": 3,
        },
    ]
    assert dropped_weng_lin["score"]["difference"] == "Doubt"
    assert describe(Durak)["score"]["difference"] == "Penalty for few games"
    assert describe(Elo)["score"]["difference"] == ""


def test_an_example_tells_whole_states() -> None:
    (dropped_weng_lin,) = [describe(system) for system in every_system_there_is() if system.key == "dropped_weng_lin"]
    newcomers, different = dropped_weng_lin["examples"]
    # A rating alone stands for a newcomer's state; what is given stays as it is.
    assert [(seat["rating"], seat["state"]) for seat in newcomers["inputs"]] == [
        (25.0, {"mu": 25.0, "sigma": 25.0 / 3.0})
    ] * 2
    assert [(seat["rating"], seat["state"]) for seat in different["inputs"]] == [
        (30.0, {"mu": 30.0, "sigma": 4.0}),
        (25.0, {"mu": 25.0, "sigma": 2.0}),
    ]
    expected = different["expected"]
    assert expected["after"] == [28.20298799845013, 25.44925300038747]
    assert [state["sigma"] for state in expected["states"]] == [3.88186410791988, 1.9927122609050067]
    assert expected["tolerances"] == {"sigma": 1e-13}
    assert different["computed"]["seats"][0]["before"] == {"mu": 30.0, "sigma": 4.0}
    # Where the source prints ratings only, nothing else is to be met.
    durak = describe(Durak)["examples"][0]["expected"]
    assert (durak["after"], durak["states"][0]) == ([1018, 1153, 914, 1173], {"rating": 1018})
