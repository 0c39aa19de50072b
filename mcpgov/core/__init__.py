"""Pure and hot: what a message means and what we do with it. Imports nothing of ours, does no I/O."""
