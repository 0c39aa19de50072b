"""The command line. Imports all rooms but proxy and live; nothing imports it."""
