"""Import a module when it is first used.

`backscroll list` on a warm index must cost hardly more than Python itself, so the code that reads
transcripts, and the libraries it needs (25 ms of CPU), wait until there is something to read.
Type checkers and the import contracts see an ordinary import beside each use.
"""

import importlib.util
import sys
from types import ModuleType


def lazily(name: str) -> ModuleType:
    """Return the module `name`, executed at the first use of one of its attributes."""
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(name)
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
