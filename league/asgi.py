"""The ASGI entry, for hosts that want one; the views are synchronous."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "league.settings")
os.environ.setdefault("RUNGS_SERVING", "1")
application = get_asgi_application()
