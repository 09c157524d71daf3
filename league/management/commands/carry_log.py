"""``manage.py carry_log [LEAGUE]``: seals what an earlier version wrote into logs after they were carried over."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from league.figures import counted
from league.management.commands.token import find
from league.models import League
from league.services.log.carry_over import carry_over


class Command(BaseCommand):
    """Carry logs over in which something is not sealed; the others stay as they are."""

    help = (
        "Seals entries that processes of an earlier version wrote into a log, chains it anew, and notes the head of "
        "before in it. Of one league, or of all; a log in which all is sealed stays as it is."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the league."""
        parser.add_argument("league", nargs="?", help="the league's slug; without it all leagues")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it, and say what was done."""
        leagues = [find(options["league"])] if options["league"] else League.objects.order_by("slug")
        for league in leagues:
            found = carry_over(league.pk)
            done = f"{counted(found, 'entry', 'entries')} sealed" if found else "all is sealed"
            self.stdout.write(f"{league.slug}: {done}.")
