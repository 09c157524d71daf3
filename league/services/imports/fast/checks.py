"""Whether the strict way surely refuses no game of a block; who the players are is not looked at."""

from collections.abc import Sequence
from datetime import datetime

from league.models import Rule
from league.selectors.rules import system_of
from league.services.imports.fast.sheets import Sheets, accepts
from league.services.imports.files import Block
from league.services.recording.game_input import AHEAD, TEXT_LIMITS


def surely_good(block: Block, rules: Sequence[Rule], now: datetime) -> bool:
    """Tell whether ``Batch.is_good`` surely refuses no game of a block; False says nothing."""
    first, last = min(block.moments), max(block.moments)
    longest = {
        "external_id": max(len(name or "") for name in block.external_ids),
        "note": max(map(len, block.notes)),
    }
    if last > now + AHEAD or any(longest[name] > limit for name, limit in TEXT_LIMITS.items()):
        return False
    before = sum(rule.starts_at <= first for rule in rules)
    in_force = rules[before - 1 : sum(rule.starts_at <= last for rule in rules)]
    sheets = Sheets(block.sizes, block.scores, block.places, block.details, block.sides)
    return before > 0 and all(accepts(system_of(rule), sheets) for rule in in_force)
