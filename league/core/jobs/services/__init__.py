"""Work that takes its time: jobs in the database, claimed by one worker."""
