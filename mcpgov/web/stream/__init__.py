"""What every open page is told as it happens."""
