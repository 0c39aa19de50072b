"""The lender: takes tranches of shared limits and budgets from an engine, for the proxies of this machine."""
