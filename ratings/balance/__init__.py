"""Fair sides: people split into sides that expect the same result, by the system that rates them."""
