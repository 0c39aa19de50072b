"""Locating and splicing values in JSON, JSONC and TOML texts. Pure."""
