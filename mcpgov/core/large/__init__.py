"""Lines over 1 MiB: read in windows, judged part by part, never built as a whole."""
