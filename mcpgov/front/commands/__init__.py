"""One file per verb: `add_arguments(parser)` and `run(args, context) -> Result`."""
