"""Tests."""

import pytest

# What helpers assert is shown in pieces as what tests assert is.
pytest.register_assert_rewrite("tests.helpers")
