"""Questions in a running daemon: links, surfaces, journal, store and control requests, put to the lifecycle."""
