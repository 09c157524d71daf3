"""What all tests of the sources share."""

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def keep_trees_from_the_collector() -> Iterator[None]:
    """Stop the collector: syntax trees of everything are millions of objects, and looking for garbage takes longest."""
    gc.disable()
    yield
    gc.enable()
