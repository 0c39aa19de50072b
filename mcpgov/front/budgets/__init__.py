"""Budgets and limits at the command line: what stands, the ledger made anew from the journal."""
