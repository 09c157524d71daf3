"""The one door: recording, voiding, correcting and restoring games; what-if and why."""
