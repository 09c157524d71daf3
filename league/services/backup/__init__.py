"""Backups of the whole site: made while it runs, brought back, thinned out, and tried every night."""
