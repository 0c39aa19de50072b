"""The login service under systemd or launchd, and starting and stopping the daemon."""
