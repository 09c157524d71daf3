"""Static files: served as they are, or collected under hashed names."""

import json
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.test import Client, override_settings


def test_they_are_served_without_being_collected() -> None:
    answer = Client().get("/static/rungs/look.css")
    found = finders.find("rungs/look.css")
    assert found is not None
    assert answer.status_code == 200
    assert b"".join(answer.streaming_content) == Path(found).read_bytes()  # type: ignore[attr-defined]  # whitenoise's
    assert Client().get("/static/rungs/nowhere.css").status_code == 404


def test_all_of_them_can_be_collected_and_name_only_what_is_there(tmp_path: Path) -> None:
    """As the image collects them, but for compressing, which takes long."""
    storage = {"BACKEND": "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"}
    with override_settings(STATIC_ROOT=str(tmp_path), STORAGES={"staticfiles": storage}):
        call_command("collectstatic", interactive=False, verbosity=0)
    names = json.loads((tmp_path / "staticfiles.json").read_text())["paths"]
    assert {"rungs/look.css", "rungs/icon.svg"} < set(names)
    for plain, hashed in names.items():
        assert hashed != plain
        assert (tmp_path / hashed).exists()


@pytest.mark.django_db
def test_the_serif_is_small_and_has_a_licence_beside_it() -> None:
    serif, licence, sheet = map(finders.find, ("rungs/serif.woff2", "rungs/serif-OFL.txt", "rungs/look.css"))
    assert serif is not None
    assert licence is not None
    assert sheet is not None
    content = Path(serif).read_bytes()
    assert content.startswith(b"wOF2")
    assert len(content) <= 45 * 1024
    assert "Reserved Font Name" in Path(licence).read_text()
    assert "font-display: swap" in Path(sheet).read_text()
    page = Client().get("/").content.decode()
    assert 'as="font"' in page
    assert "/static/rungs/serif.woff2" in page
