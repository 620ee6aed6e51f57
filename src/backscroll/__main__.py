"""Start backscroll from a shell: `backscroll …` or `python -m backscroll …`.

The version is printed before anything else is imported: click alone costs three times the bare interpreter.
"""

import sys

from backscroll.version import __version__


def main() -> None:
    """Answer `--version` at once; leave everything else to the command line."""
    if sys.argv[1:] == ["--version"]:
        sys.stdout.write(f"backscroll {__version__}\n")
        return
    from backscroll.cli import startup  # noqa: PLC0415  (see above)

    startup.hurry()
    from backscroll.cli.main import run  # noqa: PLC0415  (see above)

    startup.end(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
