"""Other programs, called the way their users call them."""
