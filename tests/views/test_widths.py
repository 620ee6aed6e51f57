"""Tables keep to the width of the paper, whatever stands in them."""

import pytest
from views import samples

from backscroll.cli.terminal import columns
from backscroll.views.terminal import calls, listing, tree
from backscroll.views.terminal.paper import width_of

TITLES = ["漢字のタイトルとても長い" * 8, "👩\u200d💻 emoji " * 12, "plain words " * 12, "x" * 300, "é̂" * 90, ""]
SESSIONS = [
    samples.session(
        id=f"{number}9258e92-ad74", title=title, cwd="/p/" + title, state="ghost", expires=samples.NOW.replace(day=9)
    )
    for number, title in enumerate(TITLES)
]


@pytest.mark.parametrize("width", [60, 80, 100, 132])
def test_no_line_of_a_table_is_wider_than_the_paper(width: int) -> None:
    """CJK, emoji, combining and endless words are cut to the column."""
    sheet = samples.paper(width, measure=columns)
    stores = [samples.store(path="/p/" + title) for title in TITLES]
    agents = {one.id: [samples.agent(description=one.title)] for one in SESSIONS}
    nodes = [samples.node(str(n), str(n - 1) if n else None, "branch", title) for n, title in enumerate(TITLES * 5)]
    log = [samples.call("mcp__server__" + title, {"command": title}, agent="a" * 40) for title in TITLES]
    lines = [
        *listing.session_list(99, SESSIONS, sheet, agents),
        *listing.overview(stores, 99, SESSIONS, SESSIONS, sheet),
        *tree.tree(SESSIONS[0], nodes, sheet),
        *calls.call_log(log, sheet),
    ]

    assert [] == [line for line in lines if width_of(line, sheet) > width]


def test_on_a_pipe_nothing_is_cut() -> None:
    """A pipe gets whole ids, titles and paths."""
    shown = samples.text_of(listing.session_list(6, SESSIONS, samples.paper(None)))

    assert all(" ".join(title.split()) in shown for title in TITLES)
    assert "09258e92-ad74 " in shown
