"""Reading, swapping and backing up config files: the only code that writes other programs' files."""
