"""Install and uninstall: steps, plan, the launcher and the bundle of hot modules."""
