"""Static files: served as they are, or collected under hashed names."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.test import Client, override_settings

from league.environment import compute_digest
from tests.helpers.tiers import long_way


def test_they_are_served_without_being_collected() -> None:
    answer = Client().get("/static/rungs/look.css")
    found = finders.find("rungs/look.css")
    assert found is not None
    assert answer.status_code == 200
    assert b"".join(answer.streaming_content) == Path(found).read_bytes()  # type: ignore[attr-defined]  # whitenoise's
    assert Client().get("/static/rungs/nowhere.css").status_code == 404


@long_way
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


SERVED = """
import django
django.setup()
from django.templatetags.static import static
from django.test import Client
for name, asked in (("look.css", {}), ("serif.woff2", {}), ("look.css", {"HTTP_RANGE": "bytes=0-99"})):
    answer = Client(HTTP_ACCEPT_ENCODING="gzip").get(static(f"rungs/{name}"), **asked)
    print(len(answer.getvalue()), answer.get("Content-Encoding"), answer["Cache-Control"], answer.status_code, sep="|")
print(static("rungs/look.css"), Client().get("/static/000000000000/rungs/look.css").status_code, sep="|")
"""


@pytest.mark.slow("Starts a whole site; tests/journeys do so, too.")
def test_a_served_site_keeps_them_in_browsers_for_good_and_compresses_them(tmp_path: Path) -> None:
    """Without collected files, their address changes with their contents."""
    environment = {
        **os.environ,
        "RUNGS_SERVING": "1",
        "RUNGS_VAR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "league.settings",
    }
    command = [sys.executable, "-c", SERVED]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    sheet, serif, part, address = (line.split("|") for line in done.stdout.splitlines())
    assert int(sheet[0]) < 25_000
    assert sheet[1:] == ["gzip", "max-age=315360000, public, immutable", "200"]
    assert serif[1] == "None"
    assert part[:2] + part[3:] == ["100", "None", "206"]
    assert re.fullmatch(r"/static/[0-9a-f]{12}/rungs/look\.css", address[0])
    assert address[1] == "404"


def test_the_digest_of_a_folder_changes_with_names_and_contents(tmp_path: Path) -> None:
    digests: list[str] = []
    for name, text in (("a", "x"), ("b", "x"), ("b", "y")):
        folder = tmp_path / str(len(digests))
        folder.mkdir()
        (folder / name).write_text(text)
        digests.append(compute_digest(folder))
    assert len(set(digests)) == 3
