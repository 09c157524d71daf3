"""A face: it translates and decides nothing."""
