"""Every question that is asked of the league's data; reads only."""
