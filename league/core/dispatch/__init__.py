"""Finds due work and starts its jobs."""
