"""Loaded only when a policy needs them: CEL and regular expressions. Imports core."""
