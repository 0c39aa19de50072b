"""Checks that a policy may ask for, loaded only then: regular expressions, CEL, and guards that judge after the rules."""
