"""Reading, swapping and backing up config files: the only writers of other programs' files."""
