"""The WSGI entry of the web processes."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "league.settings")
os.environ.setdefault("RUNGS_SERVING", "1")
application = get_wsgi_application()

from league.core.capabilities import load_declared  # noqa: E402 -- when there are settings

for start in load_declared(lambda app: app.monitoring.web_start):
    start()
