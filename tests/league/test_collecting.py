"""Static files are collected once: anew what changed, again what was killed, one start after another."""

import gzip
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import brotli
import pytest
from django.core.management import call_command
from django.test import override_settings
from whitenoise.compress import Compressor

from league import collecting

STORAGE = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "league.collecting.KeepingStorage"},
}
STOOD = "Static files stand as they were collected."
ROWS = "".join(f".row-{number} {{ color: red }}\n" for number in range(300))


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Path]:
    """Return a folder of static files, collected into the folder ``out`` beside it."""
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "one.css").write_text(ROWS + 'body { background: url("two.txt") }\n')
    (folder / "two.txt").write_text("two " * 500)
    (folder / "short.txt").write_text("x")
    (folder / "dot.png").write_bytes(b"\x89PNG" + b"\0" * 500)
    finders = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    with override_settings(
        STATIC_ROOT=str(tmp_path / "out"), STATICFILES_DIRS=[folder], STATICFILES_FINDERS=finders, STORAGES=STORAGE
    ):
        yield folder


def collect(**options: object) -> str:
    """Collect, and return what was said."""
    said = StringIO()
    call_command("collectstatic", interactive=False, stdout=said, **options)
    return said.getvalue().strip()


def compressed() -> list[str]:
    """Collect; return the names of the files that were compressed for it."""
    found = []
    plain = Compressor.compress

    def compress(self: Compressor, path: str) -> list[str]:
        found.append(Path(path).name)
        made: list[str] = plain(self, path)
        return made

    with patch.object(Compressor, "compress", compress):
        collect()
    return sorted(found)


def everything(source: Path) -> dict[str, bytes]:
    """Return what was collected, the stamp aside."""
    out = source.parent / "out"
    return {
        str(path.relative_to(out)): path.read_bytes()
        for path in out.rglob("*")
        if path.is_file() and path.name != collecting.STAMP
    }


def whole(source: Path) -> dict[str, bytes]:
    """Return what is collected from nothing, as it would be without us."""
    plain = {**STORAGE, "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"}}
    other = source.parent / "plain"
    with override_settings(STATIC_ROOT=str(other / "out"), STORAGES=plain):
        collect()
        found = everything(other / "in")
    for path in sorted(other.rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    return found


def test_it_collects_what_whitenoise_would(source: Path) -> None:
    collect()
    found = everything(source)
    assert found == whole(source)
    hashed = next(name for name in found if name.startswith("one.") and name.endswith(".css") and name != "one.css")
    assert b"two.txt" not in found[hashed]
    assert brotli.decompress(found[hashed + ".br"]) == gzip.decompress(found[hashed + ".gz"]) == found[hashed]
    assert "dot.png.gz" not in found
    assert "short.txt.br" not in found


def test_a_second_start_has_nothing_to_do(source: Path) -> None:
    collect()
    before = {path: path.stat().st_mtime_ns for path in (source.parent / "out").rglob("*")}
    os.utime(source / "one.css")
    assert collect() == STOOD
    assert {path: path.stat().st_mtime_ns for path in (source.parent / "out").rglob("*")} == before
    assert collect(verbosity=0) == ""


@pytest.mark.parametrize("later", [3600, -3600])
def test_a_changed_file_is_collected_anew_and_no_other_is_compressed(source: Path, later: int) -> None:
    """Also one of the same length that bears an earlier time than what was collected."""
    collect()
    two = source / "two.txt"
    two.write_text("owt " * 500)
    os.utime(two, (time.time() + later,) * 2)
    changed = compressed()
    assert {name for name in changed if not name.startswith("short.")} == {
        "two.txt",
        *(name for name in everything(source) if name.startswith(("two.", "one.")) and name.endswith((".txt", ".css"))),
    } - {"one.css"} - old_names(source)
    assert (source.parent / "out" / "two.txt").read_text() == "owt " * 500
    assert everything(source).items() >= whole(source).items()
    assert collect() == STOOD


def old_names(source: Path) -> set[str]:
    """Return the hashed names that were collected before and are collected no more."""
    return set(everything(source)) - set(whole(source))


def test_new_and_gone_files_are_seen(source: Path) -> None:
    collect()
    (source / "three.txt").write_text("three " * 500)
    assert "1 static file copied" in collect()
    (source / "three.txt").unlink()
    assert "0 static files copied" in collect()
    assert collect() == STOOD


@pytest.mark.parametrize("name", ["two.txt", "two.txt.gz", "two.txt.br", "staticfiles.json"])
@pytest.mark.parametrize("how", ["gone", "short"])
def test_what_was_lost_of_the_collected_files_is_made_again(source: Path, name: str, how: str) -> None:
    collect()
    before = everything(source)
    lost = source.parent / "out" / name
    lost.unlink() if how == "gone" else lost.write_bytes(lost.read_bytes()[:5])
    assert collect() != STOOD
    assert everything(source) == before


@pytest.mark.parametrize("text", ["", "{}", "no JSON"])
def test_a_stamp_that_says_nothing_is_none(source: Path, text: str) -> None:
    collect()
    (source.parent / "out" / collecting.STAMP).write_text(text)
    assert collect() != STOOD
    assert collect() == STOOD


def test_another_version_of_what_compresses_collects_again(source: Path) -> None:
    collect()
    with patch.object(collecting, "version", lambda name: "0.0"):
        assert collect() != STOOD


def test_other_files_than_the_usual_ones_leave_no_stamp(source: Path) -> None:
    collect()
    assert collect(ignore_patterns=["two*"], post_process=False) != STOOD
    assert not (source.parent / "out" / collecting.STAMP).exists()
    assert collect() != STOOD
    assert collect(clear=True) != STOOD
    assert collect() == STOOD


def test_a_dry_run_and_links_do_as_they_did(source: Path) -> None:
    assert "Pretending to copy" in collect(dry_run=True)
    assert not (source.parent / "out").exists()
    assert "4 static files symlinked" in collect(link=True, post_process=False)
    assert (source.parent / "out" / "two.txt").is_symlink()
    assert "4 static files copied" in collect()
    assert not (source.parent / "out" / "two.txt").is_symlink()


@pytest.mark.parametrize("after", [0, 5, 10, 14])
@pytest.mark.slow("Starts processes.")
def test_a_killed_collect_is_done_again(source: Path, after: int) -> None:
    """Killed in the middle of writing a file, wherever that is: the next one ends with what one in peace ends with."""
    killed = subprocess.run([sys.executable, "-c", KILLED, str(source), str(after)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert collect() != STOOD
    assert everything(source) == whole(source)
    assert collect() == STOOD


#: Collects in a process that kills itself while it writes a file, after as many others.
KILLED = """
import os, signal, sys
from pathlib import Path
import django
os.environ["DJANGO_SETTINGS_MODULE"] = "league.settings"
django.setup()
from django.conf import settings
from league.management.commands.collectstatic import Command
source, left = Path(sys.argv[1]), [int(sys.argv[2])]
settings.STATIC_ROOT, settings.STATICFILES_DIRS = str(source.parent / "out"), [source]
settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
settings.STORAGES = {"staticfiles": {"BACKEND": "league.collecting.KeepingStorage"}}
plain = os.replace
def replace(old, new):
    left[0] -= 1
    if left[0] < 0:
        data = Path(old).read_bytes()
        Path(old).write_bytes(data[: len(data) // 2])
        os.kill(os.getpid(), signal.SIGKILL)
    plain(old, new)
os.replace = replace
from django.core.management import call_command
call_command(Command(), interactive=False, verbosity=0)
"""


@pytest.mark.slow("Starts processes.")
def test_two_starts_at_once_collect_one_after_the_other(source: Path) -> None:
    """The second one waits for the first and finds nothing to do; where the first is killed it does the work."""
    out = source.parent / "out"
    code = (
        "import sys, time; from pathlib import Path; from league.collecting import alone\n"
        "with alone(Path(sys.argv[1])):\n    print('in', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(out)], stdout=subprocess.PIPE) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == b"in\n"
        second = [sys.executable, "-c", KILLED, str(source), "1000"]
        with subprocess.Popen(second) as waiting, subprocess.Popen(second) as third:
            time.sleep(2)
            assert (waiting.poll(), third.poll()) == (None, None)
            assert list(out.iterdir()) == []
            first.kill()
            assert waiting.wait(60) == third.wait(60) == 0
    assert everything(source) == whole(source)
