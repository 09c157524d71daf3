"""The rating systems, one file each; dropping a file in here is all it takes to add one."""
