"""The commands, one file per verb: arguments in, a Result out."""
