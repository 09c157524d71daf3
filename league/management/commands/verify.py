"""``rungs verify``: compares stored data with the log and a full replay, and checks the log's hash chain."""

import json
import re
import resource
import sys
import time
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError

from league.cli.league_commands import VERIFY
from league.core.permissions import find_visible_leagues
from league.core.text.display_formats import format_count
from league.core.verify.heads import Anchor
from league.core.verify.run import Verdict, verify_league
from league.models import League
from league.web.terminal.operator import OPERATOR, OperatorCommand, get_league
from league.web.terminal.progress import Bars

#: The exit code if nothing differs but a replay is due.
REPLAY_DUE_CODE = 3


class Command(OperatorCommand):
    """Verify one league or all; exits with 1 if something differs, with 3 if a due replay prevents a result."""

    entry = VERIFY

    def handle(self, *args: Any, **options: Any) -> None:
        """Verify the leagues, and print the differences."""
        if options["anchor"] and not options["league"]:
            raise CommandError("An anchor belongs to one league; name it, such as rungs verify club --anchor 21:9b74….")
        self.anchors = [parse_anchor(text) for text in options["anchor"]]
        leagues = [get_league(options["league"])] if options["league"] else list(find_visible_leagues(OPERATOR))
        verdicts = [self.verify(league, quiet=options["json"]) for league in leagues]
        if options["json"]:
            pairs = zip(leagues, verdicts, strict=True)
            verdict_list = [
                {"league": league.slug, "state": verdict.state, **asdict(verdict)} for league, verdict in pairs
            ]
            self.stdout.write(json.dumps(verdict_list, ensure_ascii=False, indent=1))
        difference_count, waiting_count = (
            sum(len(verdict.differences) for verdict in verdicts),
            sum(verdict.waits for verdict in verdicts),
        )
        if difference_count:
            raise CommandError(f"{difference_count} difference{'s' if difference_count > 1 else ''} found.")
        if waiting_count:
            raise CommandError(
                f"{format_count(waiting_count, 'league waits', 'leagues wait')} for a replay, so derived data is not "
                "verified. Wait for the worker or run rungs replay LEAGUE, then verify again.",
                returncode=REPLAY_DUE_CODE,
            )

    def verify(self, league: League, *, quiet: bool) -> Verdict:
        """Verify a league, and print the result unless ``quiet``."""
        start = time.monotonic()
        with Bars(sys.stderr, league.title) as progress:
            # One bar for all stages.
            verdict = verify_league(
                league.pk, lambda phase, completed, total: progress("verifying", completed, total), self.anchors
            )
        if quiet:
            return verdict
        seconds = max(time.monotonic() - start, 0.001)
        # Linux counts in kilobytes, macOS in bytes.
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
        self.stdout.write(
            f"{league.title} {verdict.state}: {format_count(verdict.games, 'game')}, "
            f"{format_count(verdict.rows, 'row')}, "
            f"{format_count(verdict.editions, 'edition')} and "
            f"{format_count(verdict.entries, 'entry', 'entries')} of the log "
            f"in {seconds:.1f} s ({verdict.games / seconds:,.0f} games/s, peak memory {peak:,.0f} MB)."
        )
        for message in (*verdict.notes, *verdict.differences):
            self.stdout.write(f"  {message}")
        return verdict


def parse_anchor(text: str) -> Anchor:
    """Parse an anchor; raises CommandError."""
    match = re.fullmatch(r"([1-9][0-9]{0,17}):([0-9a-f]{64})", text.strip().lower())
    if match is None:
        raise CommandError(f"“{text}” is not an anchor: write POSITION:HASH, with all 64 digits of the hash.")
    return int(match[1]), match[2]
