"""What a league says is declared once: bodies, answers, log, exports and forms follow from the fields of its row."""

import json
import re
from pathlib import Path

import pytest
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from rest_framework import serializers

from league.core.transfer.selectors.exports import export_lines
from league.core.transfer.services.reading import SHAPES, build_shape, get_field_reader
from league.models import Result
from league.models.facts import RESULT, RESULT_RECORD, USUAL, list_recorded_values
from league.models.leagues import SETTINGS
from league.web.api.core.inputs import build_input_field
from league.web.api.core.schemas import build_output_field
from league.web.api.games.serializers import ResultInput, ResultShape
from league.web.api.leagues.render import LeagueShape
from league.web.api.leagues.views import LeagueChange, LeagueInput
from league.web.organiser.league_forms import SettingsForm
from tests.helpers.builders import EVENING, make_league, record, sheet

HOUSE = Path(__file__).parents[2] / "league"
#: Who names a setting, and why: what a new one costs, and who acts by these.
NAMED = {
    "models/leagues.py": "the field and the declaration",
    "web/organiser/log_sentences.py": "what the log calls it, in the reader's language",
    "web/organiser/league_forms.py": "the desk's form, where Django's own field would not do",
    "core/leaderboard/selectors/current_board.py": "what a board depends on",
    "demo/leagues.py": "leagues to look at",
    "web/organiser/settings.py": "the sentence of a folded section: when periods close, in one phrase",
}


def test_every_setting_is_taken_answered_read_and_asked() -> None:
    for taken in (LeagueChange().fields, LeagueInput().fields, LeagueShape().fields, SHAPES["league"]):
        assert set(SETTINGS) <= set(taken)
    # Only programs write metadata.
    assert set(SETTINGS) - {"metadata"} == set(SettingsForm.base_fields)


@pytest.mark.parametrize("name", ["inactive_after_days", "close_after_hours"])
def test_nothing_else_lists_the_settings(name: str) -> None:
    listed = re.compile(rf'"{name}"|\b{name}\s*[=:]')
    files = [path for path in HOUSE.rglob("*.py") if "migrations" not in path.parts]
    naming = {str(path.relative_to(HOUSE)) for path in files if listed.search(path.read_text(encoding="utf-8"))}
    assert naming <= set(NAMED)


def test_a_flag_is_taken_answered_and_read_as_one() -> None:
    field = models.BooleanField(default=False)
    assert build_input_field(field).run_validation(True) is True
    with pytest.raises(serializers.ValidationError, match="must be true or false"):
        build_input_field(field).run_validation("true")
    assert isinstance(build_output_field(field), serializers.BooleanField)
    assert get_field_reader(field)(False) is False
    with pytest.raises(ValueError, match="true or false"):
        get_field_reader(field)(0)


def test_a_whole_number_keeps_to_its_bounds_and_may_be_missing() -> None:
    bounds = [MinValueValidator(3), MaxValueValidator(9)]
    field = models.PositiveIntegerField(null=True, validators=bounds)
    assert [build_input_field(field).run_validation(value) for value in (3, 9, None)] == [3, 9, None]
    for value in (2, 10, 3.5, "3", True):
        with pytest.raises(serializers.ValidationError):
            build_input_field(field).run_validation(value)
    assert isinstance(build_output_field(field), serializers.IntegerField)
    assert build_output_field(field).allow_null
    assert [get_field_reader(field)(value) for value in (0, None)] == [0, None]


def test_a_text_keeps_to_its_length_and_is_there_where_it_must() -> None:
    must, may = models.CharField(max_length=3), models.TextField(max_length=4, blank=True)
    assert [build_input_field(must).run_validation("abc"), build_input_field(may).run_validation("")] == ["abc", ""]
    for field, value in ((must, ""), (must, "abcd"), (must, None), (must, 1), (may, "abcde")):
        with pytest.raises(serializers.ValidationError):
            build_input_field(field).run_validation(value)
    assert isinstance(build_output_field(must), serializers.CharField)
    with pytest.raises(ValueError, match="a string without NUL characters"):
        get_field_reader(must)(None)


def test_a_choice_is_one_of_its_words() -> None:
    field = models.CharField(max_length=5, choices=[("one", "One"), ("two", "Two")])
    assert build_input_field(field).run_validation("two") == "two"
    with pytest.raises(serializers.ValidationError):
        build_input_field(field).run_validation("three")
    found = build_output_field(field)
    assert isinstance(found, serializers.ChoiceField)
    assert list(found.choices) == ["one", "two"]


@pytest.mark.django_db
def test_what_a_result_says_is_taken_answered_logged_exported_and_read() -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (0.5, 0.5), (1, 1)))
    line = Result.objects.get(seat=1)
    of_itself = {"score": 0.5, "place": 1}
    usual = {name: USUAL[name] for name in RESULT if name in USUAL}
    assert {**dict.fromkeys(RESULT), **of_itself} == dict(zip(RESULT, list_recorded_values(line), strict=True))
    # Every field of the row is said of the result, or says which one it is.
    assert {field.name for field in Result._meta.concrete_fields} == {
        "id", "league", "game", "seat", "player", "recorded_as", *RESULT,
    }  # fmt: skip
    for taken in (ResultInput().fields, ResultShape().fields, build_shape(RESULT_RECORD)):
        assert set(RESULT) <= set(taken)
    (entry,) = league.log.filter(kind="game.recorded")
    (exported,) = [
        found
        for text in export_lines(league.pk, EVENING, aliases=False)
        if '"type":"game"' in text
        for found in [json.loads(text)]
    ]
    for said in (json.loads(entry.payload), exported):
        told = [{name: one[name] for name in RESULT if name in one} for one in said["results"]]
        assert told == [of_itself, of_itself]
        assert usual.keys() | of_itself.keys() == set(RESULT)
    assert list(ResultShape().fields)[:5] == ["seat", "player", "name", "score", "place"]
