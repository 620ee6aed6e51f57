"""The rule table: every shipped rule proves itself, and a wrong rule does not load."""

import pytest

from backscroll.errors import QueryError, answer_for
from backscroll.redact import Detector, Rule, combine_rules, load_rules, shipped_rules
from backscroll.redact.rule_table import expand_example, finds, shipped_table

RULE = """
[[rule]]
name = "fake-key"
family = "fake"
literals = ["fake_"]
pattern = 'fake_[0-9]{4}'
matches = ["fake_1234", "a fake_5678 b"]
ignores = ["fake_12", "fake-1234"]
"""


def wrong(old: str, new: str) -> str:
    """Load the rule with one change, and return the error's text."""
    assert old in RULE

    with pytest.raises(QueryError) as caught:
        load_rules(RULE.replace(old, new), "redact.toml")

    assert 2 == answer_for(caught.value).exit_code
    return str(caught.value)


def test_shipped_table_loads_with_examples() -> None:
    """The shipped table passes the same examination as a user's."""
    assert [rule.name for rule in shipped_rules()] == [rule.name for rule in load_rules(shipped_table(), "shipped")]


@pytest.mark.parametrize("rule", shipped_rules(), ids=lambda rule: rule.name)
def test_rule_keeps_its_examples(rule: Rule) -> None:
    """A rule matches each of its examples and none of its counter-examples."""
    assert [] == [number for number, text in enumerate(rule.matches) if not finds(rule, text)]
    assert [] == [number for number, text in enumerate(rule.ignores) if finds(rule, text)]
    assert min(len(rule.matches), len(rule.ignores)) >= 2


def test_table_covers_sixty_families_of_tokens() -> None:
    """The table has many rules in each of the families that people use."""
    families = [rule.family for rule in shipped_rules()]

    assert len(families) >= 60
    assert {"ai", "cloud", "vcs", "chat", "payment", "mail", "database", "ci", "registry"} < set(families)
    assert {"key", "connection", "header", "assigned", "identity"} < set(families)


def test_table_holds_no_token_shape() -> None:
    """No scanner can mistake the table itself for a leak: its examples are spelled with repetitions."""
    tokens = [rule for rule in shipped_rules() if rule.family not in {"assigned", "connection", "identity", "header"}]

    assert [] == [one.rule.name for one in Detector(tokens).find(shipped_table().encode())]


def test_user_rule_loads() -> None:
    """A user's rule becomes a rule like the shipped ones."""
    (rule,) = load_rules(RULE, "redact.toml")

    assert ("fake-key", "fake", "fake-key") == (rule.name, rule.family, rule.label)


def test_user_rule_replaces_shipped_rule() -> None:
    """A user's rule of the same name takes the place of the shipped one, and stands first."""
    own = load_rules(RULE.replace("fake-key", "aws-key"), "redact.toml")
    combined = combine_rules(own, shipped_rules())

    assert own[0] is combined[0]
    assert len(shipped_rules()) == len(combined)


def test_refused_pattern_is_named_with_its_line() -> None:
    """A pattern with look-ahead, which RE2 refuses, is an error that names rule and line."""
    text = wrong("fake_[0-9]{4}'", "fake_(?=x)'")

    assert "fake-key" in text
    assert "redact.toml, line 2" in text
    assert "RE2" in text


@pytest.mark.parametrize(
    "old, new, said",
    [
        ('["fake_1234"', '["fake_12"', "misses its example 1"),
        ('["fake_12"', '["fake_1234"', "finds its counter-example 1"),
        (', "a fake_5678 b"', "", "needs 2 examples"),
        ('literals = ["fake_"]\n', "", "literals or a gate"),
        ('["fake_"]', '[""]', "literal is empty"),
        ('family = "fake"\n', "", "family"),
        ("family", "famly", "unknown field famly"),
        ('"fake-key"', '"Fake Key"', "not a name"),
        ("matches", "group = 3\nmatches", "no group 3"),
        ("matches", 'checks = [{ kind = "magic" }]\nmatches', "magic"),
        ("matches", "gate = '('\nmatches", "RE2"),
        ("matches", "except = '('\nmatches", "RE2"),
    ],
)
def test_wrong_rule_is_refused(old: str, new: str, said: str) -> None:
    """A rule that is incomplete or fails an example does not load; the error says why and where."""
    text = wrong(old, new)

    assert said in text
    assert "line 2" in text


def test_failed_example_is_not_repeated() -> None:
    """The error about an example does not show the example, which may be a real secret."""
    assert "fake_12" not in wrong('["fake_1234"', '["fake_12"')


def test_table_that_is_not_toml_is_refused() -> None:
    """Broken TOML is an error of the user's table."""
    with pytest.raises(QueryError, match="not valid TOML"):
        load_rules("[[rule]", "redact.toml")


@pytest.mark.parametrize("text", ["rule = 3", "rule = [1]"])
def test_table_of_another_shape_is_refused(text: str) -> None:
    """A table whose rules are no tables is an error."""
    with pytest.raises(QueryError, match="wrong"):
        load_rules(text, "redact.toml")


def test_two_rules_of_one_name_are_refused() -> None:
    """Names are unique; the error points at the second rule."""
    with pytest.raises(QueryError, match=r"(?s)Two redaction rules.*line 10"):
        load_rules(RULE + RULE, "redact.toml")


def test_rules_written_inline_load_without_lines() -> None:
    """A rule may be written as an inline table; then an error names no line."""
    fields = RULE.replace("[[rule]]", "").strip().replace("fake-1234", "fake_1234").replace("\n", ", ")
    inline = f"rule = [{{ {fields} }}]"
    with pytest.raises(QueryError) as caught:
        load_rules(inline, "redact.toml")

    assert "redact.toml" == caught.value.where


def test_example_is_written_out() -> None:
    """A repetition in an example stands for the text it repeats."""
    assert "a-FAKEFAKE-b" == expand_example("a-<FAKE*2>-b")
