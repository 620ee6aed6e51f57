"""The checks of `doctor`: one small function for each kind of finding, over the catalogue."""
