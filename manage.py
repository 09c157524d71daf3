#!/usr/bin/env python
"""Django's command line for Rungs; ``script/manage`` runs it in the right environment."""

import os
import sys


def main() -> None:
    """Run one management command."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "league.settings")
    from django.core.management import execute_from_command_line

    # Commands are modules, whose names have no hyphens; people may write them so.
    command = [name.replace("-", "_") if not name.startswith("-") else name for name in sys.argv[1:2]]
    execute_from_command_line([*sys.argv[:1], *command, *sys.argv[2:]])


if __name__ == "__main__":
    main()
