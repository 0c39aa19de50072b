"""Locate and splice values in JSON, JSONC and TOML texts; every other character stays."""
