"""The index: derived from the stores, disposable, so that we read nothing twice."""
