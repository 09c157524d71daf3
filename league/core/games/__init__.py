"""Games: recording, correcting, voiding, restoring, their order."""
