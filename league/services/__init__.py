"""The only code that writes. Each public function is one transaction: all of it, or an error and nothing."""
