"""Status and doctor, also without a daemon."""
