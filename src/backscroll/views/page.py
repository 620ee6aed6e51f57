"""The frame of an HTML page: its policy, its style, its end.  Nothing of it comes from data but the escaped title."""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

_STYLE = """
:root { color-scheme: light dark; --ink: #1c1e21; --paper: #fdfdfb; --faint: #6b7076; --line: #dcdcd6;
  --box: #f4f4ef; --user: #0b6e8a; --claude: #a0522d; --agent: #6a4c93; --error: #b3261e;
  --added: #e2f4e4; --removed: #fbe6e4; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e4df; --paper: #17181a; --faint: #9a9fa6; --line: #34363a;
  --box: #202225; --user: #6cc5de; --claude: #e0976f; --agent: #b79be0; --error: #ff8a80;
  --added: #12331b; --removed: #40191a; } }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1rem; max-width: 56rem; color: var(--ink); background: var(--paper);
  font: 16px/1.55 system-ui, sans-serif; overflow-wrap: anywhere }
h1 { font-size: 1.5rem; line-height: 1.25; margin: .5rem 0 }
h2 { font-size: 1rem; margin: 0 0 .4rem } h3, h4, h5, h6 { font-size: 1rem; margin: 1rem 0 .3rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: 0; font-size: .9rem }
dt, small, .label, summary, .rule { color: var(--faint) } dd { margin: 0 } small { font-weight: normal }
main { border-top: 1px solid var(--line); margin-top: 1rem }
article { margin: 1.2rem 0 } article.tool { margin: -.6rem 0 0 }
article.user { border-left: 3px solid var(--user); padding-left: .8rem } .user > h2 { color: var(--user) }
.assistant > h2 { color: var(--claude) } .system { color: var(--faint) }
p { margin: .4rem 0; white-space: pre-wrap } .item { padding-left: 1.2rem; text-indent: -1.2rem }
.item span { display: inline-block; min-width: 1.2rem; text-indent: 0 }
.l1 { margin-left: 1.2rem } .l2 { margin-left: 2.4rem } .l3, .l4, .l5, .l6, .l7, .l8 { margin-left: 3.6rem }
pre, code { font: .875rem/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
pre { background: var(--box); border-radius: 6px; padding: .6rem .8rem; margin: .4rem 0; overflow-x: auto }
p code, li code, td code { background: var(--box); border-radius: 4px; padding: .1em .3em }
blockquote { margin: .5rem 0; padding-left: .8rem; border-left: 3px solid var(--line); white-space: pre-wrap }
.wide { overflow-x: auto } table { border-collapse: collapse; font-size: .9rem }
th, td { border: 1px solid var(--line); padding: .25rem .5rem; text-align: left; vertical-align: top }
details { margin: .4rem 0 } summary { cursor: pointer; font-size: .9rem }
.call > summary b { color: var(--ink) } .call > summary span { font-family: ui-monospace, Menlo, monospace }
.agent { border-left: 3px solid var(--agent); padding-left: .8rem } .agent > summary { color: var(--agent) }
.error > summary, .damage { color: var(--error) } .thinking p { color: var(--faint); font-style: italic }
.diff { padding: .4rem 0 } .diff .hunk { color: var(--faint) }
.diff span { display: block; padding: 0 .8rem; min-height: 1.45em }
.diff .added { background: var(--added) } .diff .removed { background: var(--removed) }
.rule { display: flex; gap: .8rem; align-items: center; font-size: .85rem }
.rule::before, .rule::after { content: ""; flex: 1; border-top: 1px solid var(--line) }
a { color: var(--user) }
"""

END = "</main>\n</body>\n</html>\n"


def start_of_page(title: str) -> str:
    """Return a page up to its body; `title` comes in escaped."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
    )
