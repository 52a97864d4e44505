"""Just enough Markdown to hold documents to their word."""

import re

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`((?:draftgate|make) [a-z][^`…]*)`")


def blocks(text, language):
    """Give the fenced blocks of a language."""
    return [body for name, body in FENCE.findall(text) if name == language]


def section(text, heading):
    """Give what stands below a heading, up to the next of its level or above."""
    match = re.search(rf"^(#+) {re.escape(heading)}$", text, re.MULTILINE)
    assert match, heading
    rest = text[match.end() :]
    after = re.search(rf"^#{{1,{len(match[1])}}} ", rest, re.MULTILINE)
    return rest[: after.start()] if after else rest


def cells(text):
    """Give the rows of the tables in a text, without the ruler lines."""
    rows = [line for line in text.splitlines() if line.startswith("|")]
    split = [[cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows]
    return [row for row in split if not all(re.fullmatch(r":?-+:?", cell) for cell in row)]


def commands(text):
    """Give the command lines that a document names: in shell blocks and in back-quotes."""
    lines = [line for body in blocks(text, "bash") + blocks(text, "") for line in body.splitlines()]
    shell = [line for line in lines if re.match(r"(draftgate|make) [a-z]", line)]
    return shell + INLINE.findall(FENCE.sub("", text))
