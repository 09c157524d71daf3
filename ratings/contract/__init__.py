"""What a rating system and a ladder's method are: the contract, and the tools that they are written with."""
