"""The contracts of rating systems and ladder methods, and the functions that implementations share."""
