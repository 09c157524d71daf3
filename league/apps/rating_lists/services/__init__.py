"""What loads rating lists."""
