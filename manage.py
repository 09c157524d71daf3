#!/usr/bin/env python
"""Django's command line for Rungs; ``script/manage`` runs it in the right environment."""

import sys

from league.cli.main import run_management

if __name__ == "__main__":
    # Commands are modules, whose names have no hyphens; people may write them so.
    command = [name.replace("-", "_") if not name.startswith("-") else name for name in sys.argv[1:2]]
    sys.exit(run_management([*sys.argv[:1], *command, *sys.argv[2:]]))
