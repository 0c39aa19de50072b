"""The ledger on disk: its file, what stands in it, and the clocks and processes that its rows name."""
