"""The bounds of a model's whole numbers, which forms, serializers and readers of files share."""

from typing import Any

from django.core.validators import MaxValueValidator, MinValueValidator


def get_bounds(field: Any) -> tuple[int, int]:
    """Return the lowest and the highest value of a field of whole numbers."""
    low = max(validator.limit_value for validator in field.validators if isinstance(validator, MinValueValidator))
    high = min(validator.limit_value for validator in field.validators if isinstance(validator, MaxValueValidator))
    return low, high
