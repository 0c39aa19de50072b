"""Private data that is made of digits: cards, social security numbers, IBANs, phones."""
