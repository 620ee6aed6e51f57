"""Code in colours, by Pygments, which comes with rich: only for languages and sizes that are quick to read."""

from collections.abc import Iterator
from typing import Any

from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, String

from backscroll.views.terminal.paper import Line, Span, split_lines

_LONGEST = 20_000
"""Characters of code that are coloured: some of Pygments' patterns take far more than linear time."""

_LANGUAGES = {
    "bash": "bash",
    "c": "c",
    "cpp": "cpp",
    "css": "css",
    "diff": "diff",
    "go": "go",
    "h": "c",
    "html": "html",
    "ini": "ini",
    "java": "java",
    "javascript": "javascript",
    "js": "javascript",
    "json": "json",
    "jsx": "jsx",
    "kotlin": "kotlin",
    "md": "markdown",
    "php": "php",
    "py": "python",
    "python": "python",
    "rb": "ruby",
    "rs": "rust",
    "ruby": "ruby",
    "rust": "rust",
    "sh": "bash",
    "shell": "bash",
    "sql": "sql",
    "swift": "swift",
    "toml": "toml",
    "ts": "typescript",
    "tsx": "tsx",
    "typescript": "typescript",
    "xml": "xml",
    "yaml": "yaml",
    "yml": "yaml",
    "zsh": "bash",
}

_STYLES: dict[Any, str] = {
    Comment: "syntax.comment",
    Keyword: "syntax.keyword",
    Name.Builtin: "syntax.name",
    Name.Class: "syntax.function",
    Name.Decorator: "syntax.name",
    Name.Function: "syntax.function",
    Name.Tag: "syntax.keyword",
    Number: "syntax.number",
    String: "syntax.string",
}


def lines_of(code: str, label: str) -> Iterator[Line]:
    """Yield safe code as lines; `label` is a language or a file's name."""
    language = _LANGUAGES.get(label.rpartition(".")[2].lower())
    if language is None or len(code) > _LONGEST:
        return split_lines([Span(code, "" if "." in label or language else "code")])
    lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    return split_lines(Span(text, _style(kind)) for kind, text in lexer.get_tokens(code))


def _style(kind: Any) -> str:
    while kind is not None:
        if kind in _STYLES:
            return _STYLES[kind]
        kind = kind.parent
    return ""
