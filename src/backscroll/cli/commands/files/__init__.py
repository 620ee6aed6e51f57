"""Commands about files: list them, recover them."""
