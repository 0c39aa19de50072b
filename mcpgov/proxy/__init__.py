"""The process a client starts: launch, pump, record. Hot rim; imports core and guards."""
