"""Player reports: private links, entering reports, answers, decisions and timeouts."""
