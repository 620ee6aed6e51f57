"""The package's version, alone, so that `backscroll --version` imports nothing else."""

__version__ = "0.1.0"
