"""Tournament report files (FIDE's TRF16 and TRF26): bytes and text to a competition, and back."""
