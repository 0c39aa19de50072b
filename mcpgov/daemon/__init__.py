"""The daemon: watches the clients' configs, keeps them wrapped, knows the proxies. No proxy depends on it."""
