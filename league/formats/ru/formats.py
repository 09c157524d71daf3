"""Machines' formats while Russian is read, see ``league.formats``."""

from league.formats.machine import *  # noqa: F403 -- Django looks for the names in this module
