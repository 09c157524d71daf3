"""A league's desk: tonight, recording, what is due; for whoever records, organises or owns it."""
