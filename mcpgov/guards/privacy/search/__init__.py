"""How one text is searched: place by place, with the tables of keys."""
