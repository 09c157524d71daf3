"""Every question that is asked of the books; reads only."""
