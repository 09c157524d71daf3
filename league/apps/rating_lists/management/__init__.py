"""Commands of rating lists."""
