"""The ladders' methods: one file each, independent of one another."""
