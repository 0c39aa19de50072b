"""`status` and `doctor` on the command line, with and without a daemon."""
