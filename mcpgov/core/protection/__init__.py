"""Built-in protection: no tool changes our own files or the clients' configs."""
