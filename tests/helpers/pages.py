"""Code blocks of the docs, and a folder in which their commands run."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Files that the commands of a page need; they run in a folder of their own, in which they may write.
NEEDED = (".venv", "league", "manage.py", "requirements-dev.lock", "requirements.lock", "script")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)", re.MULTILINE)


def blocks_in(text: str, *languages: str) -> Iterator[str]:
    """Yield what a shell runs of each block in one of the languages: commands after ``$``, or the block itself."""
    for language, block in BLOCK.findall(text):
        if language in languages:
            yield "\n".join(COMMAND.findall(block)) if language == "console" else block


def project_in(folder: Path) -> Path:
    """Make a folder in which the commands of a page find what they need."""
    folder.mkdir()
    for name in NEEDED:
        (folder / name).symlink_to(ROOT / name)
    return folder
