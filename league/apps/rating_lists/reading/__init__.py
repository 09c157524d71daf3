"""Readers of the files of federations: streams of people, no database."""
