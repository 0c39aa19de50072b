"""Who may use the page, and what a request must be."""
