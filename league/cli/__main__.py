"""``python -m league.cli`` runs the command ``rungs`` where the package is not installed."""

import sys

from league.cli.main import main

sys.exit(main())
