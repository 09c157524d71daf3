"""The API's addresses about adjustments: points beside the games."""
