"""Ways to reach a person, one file each; the table has a row per way."""
