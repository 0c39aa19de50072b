"""Private data in messages: what passes, what is cut out of them, what denies them, and what comes back."""
