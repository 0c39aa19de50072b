"""Install and uninstall: the steps, the launcher and its bundle, the protected files."""
