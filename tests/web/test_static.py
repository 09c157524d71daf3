"""Static files: served as they are, or collected under hashed names."""

import json
from pathlib import Path

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
