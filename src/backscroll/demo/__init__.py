"""A home directory to try things on, and the builder that it and the tests are made with."""

from backscroll.demo.draft import Draft
from backscroll.demo.home import write_demo_home
from backscroll.demo.tools import Tool

__all__ = ["Draft", "Tool", "write_demo_home"]
