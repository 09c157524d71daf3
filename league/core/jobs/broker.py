"""The embedded broker: messages are files in a folder, so no broker server is needed.

Kombu's filesystem transport, with two changes. Messages appear atomically (written under another name
and renamed; the original lets readers see partial files). And the loop waits at most 0.4 s
for events, so that a worker stops quickly.
"""

import os
import uuid
from pathlib import Path
from time import time_ns
from typing import Any

from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.encoding import str_to_bytes
from kombu.utils.json import dumps

#: The scheme of the broker's address.
SCHEME = "rungs-files"
MAX_WAIT = 0.4


class BrokerChannel(filesystem.Channel):
    """A channel that writes messages atomically."""

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]  # kombu's two disagree
        """Put a message into a queue by writing it to a temporary file and renaming it."""
        folder = Path(self.data_folder_out)
        # Names sort in the order of sending, even across restarts of the machine.
        name = f"{time_ns() // 1000:020d}_{uuid.uuid4()}.{queue}.msg"
        draft = folder / f"{name}.part"
        draft.write_bytes(str_to_bytes(dumps(payload)))
        os.replace(draft, folder / name)


class Transport(filesystem.Transport):
    """The transport of the embedded broker."""

    Channel = BrokerChannel

    def drain_events(  # type: ignore[override]  # kombu's two types of it disagree
        self, connection: Any, timeout: float | None = None
    ) -> None:
        """Wait for a message, never for longer than ``MAX_WAIT`` seconds."""
        super().drain_events(connection, timeout=min(timeout or MAX_WAIT, MAX_WAIT))


def configure_embedded_broker(folder: Path) -> dict[str, Any]:
    """Return Celery's settings for a broker in a folder, which is created if missing."""
    TRANSPORT_ALIASES[SCHEME] = f"{__name__}:Transport"
    folders = {name: folder / name for name in ("messages", "control", "done")}
    for subfolder in folders.values():
        subfolder.mkdir(parents=True, exist_ok=True)
    return {
        # An unused host name avoids a warning from kombu.
        "broker_url": f"{SCHEME}://localhost//",
        "broker_transport_options": {
            "data_folder_in": str(folders["messages"]),
            "data_folder_out": str(folders["messages"]),
            "control_folder": str(folders["control"]),
            "processed_folder": str(folders["done"]),
            "store_processed": False,
        },
        # Remote control would need broadcasts, which a folder does not support.
        "worker_enable_remote_control": False,
    }
