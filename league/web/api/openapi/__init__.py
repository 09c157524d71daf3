"""The OpenAPI document, with examples that tests compare with real responses."""
