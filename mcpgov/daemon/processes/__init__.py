"""The process table: our proxies, servers that run ungoverned, orphans, termination."""
