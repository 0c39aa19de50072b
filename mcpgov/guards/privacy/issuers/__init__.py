"""The shapes of keys and tokens of known issuers: tables, one file for each trade."""
