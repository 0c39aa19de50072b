"""The local page: a service that shows and answers; asks the daemon by control requests. Imports loopback, core."""
