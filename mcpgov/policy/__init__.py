"""Load time: the text a person writes -> compiled rules. Imports core and guards."""
