"""A client of Rungs, the league and ladder server."""

from rungs_client.async_client import AsyncRungs
from rungs_client.client import Rungs
from rungs_client.errors import Ambiguity, RungsError, replace_names
from rungs_client.requests import Retries
from rungs_client.version import VERSION
from rungs_client.webhooks import InvalidWebhook, verify_webhook

__all__ = [
    "VERSION",
    "Ambiguity",
    "AsyncRungs",
    "InvalidWebhook",
    "Retries",
    "Rungs",
    "RungsError",
    "replace_names",
    "verify_webhook",
]
