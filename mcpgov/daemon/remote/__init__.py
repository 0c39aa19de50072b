"""The daemon's side of remote servers: their service, which URLs it probes, what is told of it."""
