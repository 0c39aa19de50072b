"""What every transport needs at run time, for any number of sessions in one process. Hot; imports core and guards."""
