"""Services that add, change, merge and erase players."""
