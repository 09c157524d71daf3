"""Celery tasks of reports."""

from celery import shared_task

from league.apps.reports.services import lapsing

lapse_due_reports_task = shared_task(name="league.reports")(lapsing.lapse_due_reports)
