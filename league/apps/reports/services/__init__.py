"""Players take part: private links, the sheets that are entered by them, and how these become games or not."""
