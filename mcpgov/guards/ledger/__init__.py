"""Rate limits and budgets: what a call claims, and the ledger that all proxies of the user share. Lazy."""
