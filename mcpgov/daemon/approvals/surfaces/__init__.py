"""Where a person can be asked: one file a surface, one row each in `table`."""
