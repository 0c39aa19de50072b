"""What a message means and what is done with it. Pure and hot: no I/O, C and built-in modules only, nothing of the other rooms."""
