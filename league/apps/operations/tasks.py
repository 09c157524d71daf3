"""Celery tasks of backups."""

from celery import shared_task

from league.apps.operations.services import nightly_backup

back_up = shared_task(name="league.backup")(nightly_backup.back_up_if_due)
