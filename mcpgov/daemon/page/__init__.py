"""The local page as the daemon sees it: its service, and the codes that let a person in."""
