"""The process a client starts: launch, pump, shut down. Hot rim; imports live, core and guards."""
