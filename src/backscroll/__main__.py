"""Start backscroll from a shell: `backscroll …` or `python -m backscroll …`.

The version is answered before anything else is imported: click alone costs three times the bare interpreter.
"""

import sys

from backscroll.version import __version__


def main() -> None:
    """Answer `--version` at once; leave everything else to the command line."""
    if sys.argv[1:] == ["--version"]:
        sys.stdout.write(f"backscroll {__version__}\n")
        return
    import gc  # noqa: PLC0415  (see above)

    gc.set_threshold(100_000, 20, 20)  # the usual 700 has it run some thirty times while modules are imported
    from backscroll.cli.standins import put_up  # noqa: PLC0415  (see above)

    put_up()
    from backscroll.cli.main import main as run  # noqa: PLC0415  (see above)

    run()


if __name__ == "__main__":
    main()
