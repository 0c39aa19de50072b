"""How results look: tables, grids, text for pipes."""
