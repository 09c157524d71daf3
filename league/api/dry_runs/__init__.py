"""What a change would do, as the API answers it of every change."""
