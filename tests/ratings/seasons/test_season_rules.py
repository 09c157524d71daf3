"""The rule of a season: what is read, completed and refused, with the path of each wrong value."""

from typing import Any

import pytest

from ratings.seasons.rules import BadRule, DivisionRule, SeriesRule, StageRule, read_rule

FORMATS = ("round_robin", "knockout")


def test_a_rule_is_completed_with_what_is_usual() -> None:
    """Each part has all its parameters, and reading what was written gives the same."""
    given = {
        "divisions": {"target_size": 6, "up": {"number": 2}},
        "series": {"best": 8, "of": 12},
        "stages": [
            {"key": "groups", "parallel": 4},
            {"key": "cup", "format": "knockout", "title": "Cup", "from": [{"stage": "groups", "places": [1, 2]}]},
        ],
    }
    rule = read_rule(given, FORMATS)
    written = rule.to_json()
    assert written["divisions"]["unplayed"] == "ask" and written["divisions"]["down"] is None
    assert written["series"]["points"]["table"][:3] == [25, 18, 15] and written["series"]["best"] == 8
    assert written["stages"][1]["title"] == "Cup" and written["stages"][0]["from"] == []
    assert read_rule(written, FORMATS) == rule


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("x", ()),
        ({}, ()),
        ({"divisions": None}, ()),
        ({"boxes": {}}, ("boxes",)),
        ({"divisions": []}, ("divisions",)),
        ({"divisions": {"target_size": 1}}, ("divisions", "target_size")),
        ({"divisions": {"target_size": 6.5}}, ("divisions", "target_size")),
        ({"divisions": {"smallest": 7}}, ("divisions", "smallest")),
        ({"divisions": {"up": {"number": 4}}}, ("divisions", "up")),
        ({"divisions": {"up": {"share": "2/3"}}}, ("divisions", "up")),
        ({"divisions": {"up": {"share": "7/6"}}}, ("divisions", "up")),
        ({"divisions": {"up": {"share": "1/0"}}}, ("divisions", "up")),
        ({"divisions": {"down": {"number": True}}}, ("divisions", "down")),
        ({"divisions": {"down": {"number": 1, "share": "1/6"}}}, ("divisions", "down")),
        ({"divisions": {"returning": {"seasons": -1}}}, ("divisions", "returning")),
        ({"divisions": {"preset": "pyramid"}}, ("divisions", "preset")),
        ({"divisions": {"preset": "boxes", "target_size": 9}}, ("divisions", "target_size")),
        ({"divisions": {"competition": 3}}, ("divisions", "competition")),
        ({"divisions": {"unplayed": "redo"}}, ("divisions", "unplayed")),
        ({"series": {"best": 8, "of": 6}}, ("series", "best")),
        ({"series": {"best": 0}}, ("series", "best")),
        ({"series": {"points": {"table": []}}}, ("series", "points")),
        ({"series": {"points": {"table": [1], "by": "n_plus_1_minus_place"}}}, ("series", "points")),
        ({"series": {"points": {"table": [float("nan")]}}}, ("series", "points")),
        ({"series": {"points": {"by": "luck"}}}, ("series", "points")),
        ({"series": {"bonus": "played"}}, ("series", "bonus")),
        ({"series": {"bonus": [{"what": "sang", "points": 1}]}}, ("series", "bonus")),
        ({"series": {"bonus": [{"what": "won", "points": 1}, {"what": "won", "points": 2}]}}, ("series", "bonus")),
        ({"series": {"bonus": [{"what": "won", "points": -1}]}}, ("series", "bonus")),
        ({"series": {"ties": ["firsts", "firsts"]}}, ("series", "ties")),
        ({"series": {"ties": [["firsts"]]}}, ("series", "ties")),
        ({"stages": 3}, ("stages",)),
        ({"stages": [3]}, ("stages", 0)),
        ({"stages": [{}]}, ("stages", 0, "key")),
        ({"stages": [{"key": "A"}]}, ("stages", 0, "key")),
        ({"stages": [{"key": "a", "format": "duel"}]}, ("stages", 0, "format")),
        ({"stages": [{"key": "a", "format": 3}]}, ("stages", 0, "format")),
        ({"stages": [{"key": "a"}, {"key": "a"}]}, ("stages", 1, "key")),
        # A stage that feeds itself, or gets places of a later one.
        ({"stages": [{"key": "a", "from": [{"stage": "a", "places": [1]}]}]}, ("stages", 0, "from")),
        ({"stages": [{"key": "a", "from": [{"stage": "b", "places": [1]}]}, {"key": "b"}]}, ("stages", 0, "from")),
        ({"stages": [{"key": "a"}, {"key": "b", "from": [{"stage": "a", "places": [1, 1]}]}]}, ("stages", 1, "from")),
        ({"stages": [{"key": "a"}, {"key": "b", "from": [{"stage": "a", "places": [0]}]}]}, ("stages", 1, "from")),
        (
            {"stages": [{"key": "a"}, {"key": "b", "from": [{"stage": "a", "places": [1], "carried": "no"}]}]},
            ("stages", 1, "from"),
        ),
        ({"divisions": {"play_off": 1}}, ("divisions", "play_off")),
        ({"divisions": {"play_off": {"number": 0}}}, ("divisions", "play_off")),
        ({"divisions": {"play_off": {"number": 1}}, "stages": [{"key": "play_off"}]}, ("stages",)),
        (
            {
                "stages": [
                    {"key": "a"},
                    {"key": "b", "from": [{"stage": "a", "places": [1]}, {"stage": "a", "places": [1, 2]}]},
                ]
            },
            ("stages", 1, "from"),
        ),
    ],
)
def test_wrong_rules_are_refused_where_they_are_wrong(given: Any, path: tuple[Any, ...]) -> None:
    """The first problem has the path of the wrong value, and a sentence."""
    with pytest.raises(BadRule) as refused:
        read_rule(given, FORMATS)
    paths = [where for where, _ in refused.value.problems]
    assert path in paths
    assert all(text.endswith((".", "]", "}.")) and len(text) > 15 for _, text in refused.value.problems)


@pytest.mark.parametrize("kind", [DivisionRule, SeriesRule, StageRule])
def test_schemas_have_each_parameter_with_its_default(kind: Any) -> None:
    """What the API's document shows. A stage has no usual key: an empty one is refused."""
    schema = kind.json_schema()
    assert list(schema["properties"]) == list(kind.parameters())
    for name, one in schema["properties"].items():
        assert one["title"]
        if (kind, name) == (StageRule, "key"):
            assert "default" not in one
        else:
            assert one["default"] == kind.defaults()[name]


def test_points_may_follow_from_the_place_and_an_empty_bonus_is_none() -> None:
    rule = read_rule({"series": {"points": {"by": "share_of_field"}, "bonus": []}}, ["swiss"])
    assert rule.series is not None
    assert (rule.series.points, rule.series.bonus) == ({"by": "share_of_field"}, [])


@pytest.mark.parametrize("carried", [False, True])
def test_a_stage_may_say_whether_points_are_carried(carried: bool) -> None:
    sources = [{"stage": "a", "places": [1], "carried": carried}]
    rule = read_rule({"stages": [{"key": "a"}, {"key": "b", "from": sources}]}, FORMATS)
    assert rule.stages[1].sources == sources
