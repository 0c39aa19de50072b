"""The login service: systemd and launchd."""
