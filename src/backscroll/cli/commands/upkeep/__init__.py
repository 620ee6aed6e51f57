"""Commands about backscroll itself and the stores it reads: index, stores, drift, demo, completion."""
