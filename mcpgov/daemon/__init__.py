"""The background process: keeps configs wrapped, supervises proxies, answers control requests, asks people."""
