"""Load time: the text a person writes -> compiled rules."""
