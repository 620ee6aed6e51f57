"""Stats: what it cost and what it did, computed from the sums that the index keeps."""
