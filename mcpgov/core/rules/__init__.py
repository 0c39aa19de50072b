"""One call against the rules: names, paths, URLs, arguments."""
