"""The control socket: requests as a table, answered at once, later or as a stream; links to proxies."""
