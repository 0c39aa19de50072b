"""What a message means and what is done with it. Pure and hot: no I/O, C modules only, nothing of the other rooms."""
