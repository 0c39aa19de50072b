"""One file per verb: `run(args, context) -> Result`, and `add_arguments(parser)` where it has options of its own."""
