"""One file per policy dialect."""
