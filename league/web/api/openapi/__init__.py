"""The OpenAPI document: what it says of operations, with examples that are held to the app."""
