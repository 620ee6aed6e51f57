"""Outputs: results of tools that are too large for a transcript and have a file of their own beside it."""

import os
import re
from collections.abc import Iterable
from functools import cache

from backscroll.files import read_small

LARGEST_OUTPUT = 64 << 20


@cache
def _persisted() -> re.Pattern[str]:
    return re.compile(r"\s*<persisted-output>.*?([^\s/\\<>\"']+\.(?:txt|json))", re.DOTALL)


def persisted_name(text: str) -> str | None:
    """Return the name of the file with the whole output, if a result is only a notice of it."""
    found = _persisted().match(text) if "<persisted-output>" in text else None
    return found.group(1) if found else None


def output_directories(transcripts: Iterable[str]) -> list[str]:
    """Return the directories that may hold the outputs of transcripts, of sessions and of their agents."""
    near = [path.split(f"{os.sep}subagents{os.sep}")[0].removesuffix(".jsonl") for path in transcripts]
    return [os.path.join(directory, "tool-results") for directory in dict.fromkeys(near)]


def whole_output(name: str, directories: Iterable[str]) -> tuple[str, str] | None:
    """Return path and text of an output, from the first directory that has it."""
    for directory in directories:
        if os.path.islink(directory):  # it could lead anywhere
            continue
        path = os.path.join(directory, name)
        try:
            return path, read_small(path, LARGEST_OUTPUT).decode(errors="replace")
        except OSError:
            continue
    return None
