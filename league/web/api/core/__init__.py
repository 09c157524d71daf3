"""What all resources of the API share: requests, answers, problems, limits."""
