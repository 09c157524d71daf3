"""The ladder methods: one file each, independent of each other."""
