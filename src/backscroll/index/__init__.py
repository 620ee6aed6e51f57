"""The index: derived from the stores, disposable, so that nothing is read twice."""
