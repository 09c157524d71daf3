"""What ``verify`` finds is kept in English, whoever asks, and read at the desk in the language of whoever reads."""

import json
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import translation

from league import tasks
from league.core.errors import Invalid
from league.core.jobs.services import work
from league.core.text.stored_messages import phrase, phrase_many, serialize_message, translate_stored
from league.core.transfer.services.restore import restore_league
from league.models import Job, League, Rating
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, record
from tests.helpers.ladder_builders import duel
from tests.helpers.restore_builders import export_of, lines_file

pytestmark = pytest.mark.django_db
#: What is said of a rating whose peak was changed behind the services' back, from its begin.
SAID = {
    "en": "The rating of anna is peak 9999.0; it must be peak 1516.0.",
    "de": "Das Rating von anna sagt peak 9999.0; richtig wäre peak 1516.0.",
    "pl": "Rating gracza anna: jest peak 9999.0, a powinno być peak 1516.0.",
    "ru": "Рейтинг игрока anna: стоит peak 9999.0, а должно быть peak 1516.0.",
    "sr": "Рејтинг играча anna: стоји peak 9999.0, а треба peak 1516.0.",
}


def broken() -> League:
    """Return a league whose winner's peak is not what the one game gives: 1500 + 32 ⋅ (1 − ½)."""
    league = make_league(parameters={"k": 32})
    record(league, duel("anna", "ben", "2024-03-10"))
    Rating.objects.filter(player__handle="anna").update(peak=9999.0)
    return league


def verified(league: League, language: str = "en") -> Job:
    """Return the verification of a league that somebody asked for in a language."""
    with translation.override(language):
        job = work.request_job(league, "verify", by="olga")
    assert tasks.job(str(job.pk))
    job.refresh_from_db()
    return job


def page(client: Client, job: Job, language: str) -> str:
    """Return the desk's page of a job in a language."""
    if not User.objects.filter(username="olga").exists():
        User.objects.create_superuser("olga")
    client.force_login(User.objects.get(username="olga"))
    answer = client.get(reverse("desk:job", args=[job.league.slug, job.pk]), headers={"accept-language": language})
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.parametrize("asked", ["en", "de"])
def test_what_is_found_is_kept_in_english_and_read_in_every_language(client: Client, asked: str) -> None:
    job = verified(broken(), asked)
    assert job.result
    assert job.result["differences"] == [SAID["en"]]
    for language, sentence in SAID.items():
        text = page(client, job, language)
        assert sentence in text
        assert (SAID["en"] in text) == (language == "en")


def test_the_api_answers_in_english_and_nothing_of_what_sentences_are_made_of() -> None:
    job = verified(broken(), "de")
    result = Api("record").get(f"jobs/{job.pk}/", **{"Accept-Language": "de"}).data["result"]
    assert result["differences"] == [SAID["en"]]
    assert set(result) == {
        "games", "rows", "editions", "entries", "games_per_second", "found", "differences", "notes", "waits", "at",
    }  # fmt: skip


def test_the_terminal_speaks_english() -> None:
    broken()
    told = StringIO()
    with pytest.raises(CommandError, match=r"1 difference found\."):
        call_command("verify", "club", stdout=told)
    assert f"  {SAID['en']}\n" in told.getvalue()


def test_notes_are_read_in_german(client: Client, settings: Any) -> None:
    from league.core.games.services.record import void_game

    league = make_league(parameters={"k": 32})
    record(league, duel("anna", "ben", "2024-03-10T20:00:00Z"))
    settings.RUNGS_INLINE_GAMES = 0
    void_game(league.pk, 1, reason="A friendly.", username="olga")
    job = verified(league)
    assert job.result
    assert job.result["notes"] == [
        "A recalculation from game 1 (2024-03-10 20:00 UTC) is due; later results were not compared."
    ]
    begins = "Eine Neuberechnung ab Partie 1 (2024-03-10 20:00 UTC) ist fällig"
    assert f"{begins}: Was daraus folgt, wurde nicht verglichen." in page(client, job, "de")


def test_who_was_forgotten_is_named_in_no_language(client: Client) -> None:
    league = broken()
    job = verified(league)
    call_command("erase_player", "anna", "--yes", stdout=StringIO())
    job.refresh_from_db()
    assert "anna" not in json.dumps(job.result)
    for language in SAID:
        text = page(client, job, language)
        assert "peak 9999.0" in text
        assert "anna" not in text
        assert SAID[language].split(" anna")[0] in text


def test_a_sentence_is_english_as_text_and_german_where_it_is_shown() -> None:
    what = phrase("in the standings of {period}", period="month, 2024-03")
    one, many = (phrase_many("{count} more difference {what}.", "{count} more differences {what}.", count, count=count,
                             what=what) for count in (1, 3))  # fmt: skip
    assert (one, many) == (
        "1 more difference in the standings of month, 2024-03.",
        "3 more differences in the standings of month, 2024-03.",
    )
    listed = phrase("{fact} is {value}; it must be {other}.", fact="X", value=["a 1", phrase("nothing")], other="b")
    assert json.loads(json.dumps(listed)) == "X is a 1, nothing; it must be b."
    with translation.override("de"):
        assert str.__str__(many) == "3 more differences in the standings of month, 2024-03."
        assert one.shown() == "Noch 1 weiterer Unterschied im Stand von month, 2024-03."
        assert many.shown() == "Noch 3 weitere Unterschiede im Stand von month, 2024-03."
        assert listed.shown() == "X sagt a 1, nichts; richtig wäre b."


def test_beside_a_sentence_lies_what_it_was_made_of() -> None:
    sentence = phrase("{fact} is missing.", fact=phrase("The rule from {day}", day="2024-01-01"))
    beside = json.loads(json.dumps(serialize_message(sentence)))
    with translation.override("de"):
        assert translate_stored("The rule from 2024-01-01 is missing.", beside) == "Die Regel ab 2024-01-01 fehlt."
        # A name was put out of one of them only.
        assert (
            translate_stored("The rule from 2024-01-02 is missing.", beside) == "The rule from 2024-01-02 is missing."
        )


@pytest.mark.parametrize(
    "beside",
    [None, "Game 5.", 7, [], {}, {"values": []}, {"text": 5, "values": []}, {"text": "Game 5.", "values": {}},
     {"text": "Game 5.", "values": [5]}, {"text": "Game 5.", "values": [["number"]]},
     {"text": "Game 5.", "many": 5, "values": []}, {"text": "Game 5.", "number": "5", "values": []},
     {"text": "Game {number}.", "values": []}, {"text": "", "values": []}],
)  # fmt: skip
def test_what_does_not_fit_is_left_aside(beside: Any) -> None:
    with translation.override("de"):
        assert translate_stored("Game 5.", beside) == "Game 5."


def refused(league: League, change: Callable[[list[str]], list[str]]) -> str:
    """Return why an export of a league is refused that was changed."""
    with pytest.raises(Invalid) as error:
        restore_league(lines_file(change(export_of(league))), slug="again", by="olga")
    return error.value.detail


@pytest.mark.parametrize(
    ("change", "english", "german"),
    [
        (
            lambda lines: lines[:-1],
            "the end is missing: the file was cut off; export it again.",
            "Das Ende fehlt: Die Datei wurde abgeschnitten; exportiere sie noch einmal.",
        ),
        (
            lambda lines: [lines[0], lines[1].replace('"last_number":1', '"last_number":"1"'), *lines[2:]],
            "the league must be an object whose last_number is a whole number from 0.",
            "league muss dies sein: ein Objekt mit last_number: eine ganze Zahl ab 0.",
        ),
    ],
)
def test_a_file_is_refused_in_the_language_of_whoever_restores(
    change: Callable[[list[str]], list[str]], english: str, german: str
) -> None:
    league = broken()
    told = refused(league, change)
    assert told.startswith("Nothing was restored. Line ")
    assert told.endswith(f": {english}")
    with translation.override("de"):
        told = refused(league, change)
    assert told.startswith("Nichts wurde wiederhergestellt. Zeile ")
    assert told.endswith(f": {german}")
