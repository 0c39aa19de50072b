"""Journal records chosen by filters, and counted."""
