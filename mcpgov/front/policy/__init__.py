"""Rules that commands write into a policy, and verdicts on tools before anybody calls them."""
