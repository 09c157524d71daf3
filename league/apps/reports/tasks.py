"""Celery tasks of reports."""

from celery import shared_task

from league.apps.reports.services import lapsing

let_reports_lapse = shared_task(name="league.reports")(lapsing.lapse_due)
