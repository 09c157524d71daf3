"""Games over the API: recorded, corrected, voided, restored, listed, in batches."""
