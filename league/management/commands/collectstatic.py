"""``manage.py collectstatic``: as Django's, and nothing where nothing has changed."""

import filecmp
import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.apps import StaticFilesConfig
from django.contrib.staticfiles.management.commands import collectstatic
from django.core.files.storage import Storage

from league.collecting import alone, begin, finish, stands


class Command(collectstatic.Command):
    """Collect static files: those that changed."""

    def handle(self, **options: Any) -> str | None:
        """Collect, one process after another, unless all was collected before and stands."""
        self.set_options(**options)
        root = Path(settings.STATIC_ROOT)
        if self.dry_run:
            return super().handle(**options)
        with alone(root):
            # Links, other files than the usual ones, and files without hashes are nothing to come back to.
            usual = not self.symlink and self.post_process and options["use_default_ignore_patterns"]
            usual = usual and set(self.ignore_patterns) == set(StaticFilesConfig.ignore_patterns)
            if usual and not self.clear and stands(self.ignore_patterns, root):
                return "Static files stand as they were collected." if self.verbosity >= 1 else None
            begin(root)
            said = super().handle(**options)
            if usual:
                finish(self.ignore_patterns, root)
            return said

    def delete_file(self, path: str, prefixed_path: str, source_storage: Storage) -> bool:
        """Tell whether a file is to be copied: unless it stands there, byte for byte; what it replaces is deleted."""
        there = self.storage.path(prefixed_path) if self.local else ""
        if self.local and not self.symlink and os.path.isfile(there) and not os.path.islink(there):
            if filecmp.cmp(source_storage.path(path), there, shallow=False):
                self.unmodified_files.append(prefixed_path)
                self.log(f"Skipping '{path}' (not modified)")
                return False
            self.storage.delete(prefixed_path)
            return True
        return bool(super().delete_file(path, prefixed_path, source_storage))
