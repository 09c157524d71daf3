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
from league.core.permissions import visible_leagues
from league.core.text.display_formats import counted
from league.core.verify.heads import Anchor
from league.core.verify.run import Verdict, verify_league
from league.models import League
from league.web.terminal.operator import OPERATOR, OperatorCommand, find
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
        leagues = [find(options["league"])] if options["league"] else list(visible_leagues(OPERATOR))
        verdicts = [self.verify(league, quiet=options["json"]) for league in leagues]
        if options["json"]:
            pairs = zip(leagues, verdicts, strict=True)
            verdict_list = [
                {"league": league.slug, "state": verdict.state, **asdict(verdict)} for league, verdict in pairs
            ]
            self.stdout.write(json.dumps(verdict_list, ensure_ascii=False, indent=1))
        wrong, waiting = (
            sum(len(verdict.differences) for verdict in verdicts),
            sum(verdict.waits for verdict in verdicts),
        )
        if wrong:
            raise CommandError(f"{wrong} difference{'s' if wrong > 1 else ''} found.")
        if waiting:
            raise CommandError(
                f"{counted(waiting, 'league waits', 'leagues wait')} for a replay, so derived data is not "
                "verified. Wait for the worker or run rungs replay LEAGUE, then verify again.",
                returncode=REPLAY_DUE_CODE,
            )

    def verify(self, league: League, *, quiet: bool) -> Verdict:
        """Verify a league, and print the result unless ``quiet``."""
        start = time.monotonic()
        with Bars(sys.stderr, league.title) as progress:
            # One bar for all stages.
            verdict = verify_league(
                league.pk, lambda what, done, total: progress("verifying", done, total), self.anchors
            )
        if quiet:
            return verdict
        seconds = max(time.monotonic() - start, 0.001)
        # Linux counts in kilobytes, macOS in bytes.
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
        self.stdout.write(
            f"{league.title} {verdict.state}: {counted(verdict.games, 'game')}, {counted(verdict.rows, 'row')}, "
            f"{counted(verdict.editions, 'edition')} and {counted(verdict.entries, 'entry', 'entries')} of the log "
            f"in {seconds:.1f} s ({verdict.games / seconds:,.0f} games/s, peak memory {peak:,.0f} MB)."
        )
        for sentence in (*verdict.notes, *verdict.differences):
            self.stdout.write(f"  {sentence}")
        return verdict


def parse_anchor(text: str) -> Anchor:
    """Parse an anchor; raises CommandError."""
    match = re.fullmatch(r"([1-9][0-9]{0,17}):([0-9a-f]{64})", text.strip().lower())
    if match is None:
        raise CommandError(f"“{text}” is not an anchor: write POSITION:HASH, with all 64 digits of the hash.")
    return int(match[1]), match[2]
