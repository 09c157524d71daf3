"""Pairing formats, one file each; found by ``ratings.registry``."""
