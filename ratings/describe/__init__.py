"""Descriptions of systems and methods, and explanations of rating changes."""
