"""The tie-breaks: one file each, or one for a family. They are independent of each other."""
