"""The pad in other languages: its worker keeps the words of its scripts in the language in which the pad was opened."""

import json
import re

import pytest
from django.test import Client

from tests.helpers.builders import make_league
from tests.helpers.desk_client import PAD

WORKER = "/admin/leagues/pad-worker.js"


def parts(script: str) -> list[str]:
    """Return the addresses that a worker keeps."""
    found = re.search(r"^const PARTS = (.*);$", script, re.M)
    assert found is not None
    kept: list[str] = json.loads(found[1])
    return kept


def name(script: str) -> str:
    """Return under which name a worker keeps them."""
    found = re.search(r"^const NAME = (.*);$", script, re.M)
    assert found is not None
    return found[1]


@pytest.mark.parametrize(
    ("asked", "language"),
    [("", "en"), ("?texts=en", "en"), ("?texts=de", "de"), ("?texts=de-AT", "de"), ("?texts=xx", "en")],
)
def test_the_worker_keeps_the_words_of_one_language(client: Client, asked: str, language: str) -> None:
    script = client.get(WORKER + asked).content.decode()
    assert [part for part in parts(script) if "texts-" in part] == [f"/look/texts-{language}.js"]
    assert any(part.endswith("words.js") for part in parts(script))


def test_another_language_is_another_worker(client: Client) -> None:
    english, german = (client.get(f"{WORKER}?texts={code}").content.decode() for code in ("en", "de"))
    assert name(english) != name(german)


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["en", "de"])
def test_a_pad_asks_for_the_worker_of_its_language(olga: Client, language: str) -> None:
    make_league()
    page = olga.get(PAD, headers={"Accept-Language": language}).content.decode()
    assert f'data-worker="{WORKER}?texts={language}"' in page
    words, own = page.index(f"/look/texts-{language}.js"), page.index("rungs/pad.js")
    assert words < page.index("rungs/words.js") < own
