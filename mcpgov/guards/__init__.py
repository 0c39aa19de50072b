"""Checks that a policy may ask for, loaded only then: `re:` patterns, CEL, and guards that judge after the rules."""
