"""Machines' formats while Russian is read, see ``league.core.text.formats``."""

from league.core.text.formats.machine import *  # noqa: F403 -- Django looks for the names in this module
