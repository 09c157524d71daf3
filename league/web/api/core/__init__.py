"""Code shared by all resources of the API: requests, responses, problem documents, limits."""
