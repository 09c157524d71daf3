"""Rates games in order with a kernel, in plain Python or compiled."""
