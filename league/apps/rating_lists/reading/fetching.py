"""Downloads a list for the operator, who named its address."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from urllib.error import URLError
from urllib.request import urlopen

from league.apps.rating_lists.reading.listed_people import ListProblem

#: How an address begins, and the seconds without an answer after which there is none.
SCHEME, TIMEOUT = "https://", 60


def is_address(text: str) -> bool:
    """Return whether a text is an address of a file, and not its path."""
    return text.startswith(SCHEME)


@contextmanager
def fetch_list(address: str) -> Iterator[Path]:
    """Download a list, and delete it afterwards; raises ListProblem."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "list"
        try:
            with urlopen(address, timeout=TIMEOUT) as answer, path.open("wb") as target:  # noqa: S310
                copyfileobj(answer, target)
        except (URLError, OSError, ValueError) as error:
            raise ListProblem(f"{address} cannot be downloaded: {getattr(error, 'reason', error)}.") from None
        yield path
