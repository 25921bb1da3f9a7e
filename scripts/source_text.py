"""What check-layers and check-tree share: C++ text without its comments and literals."""

import re

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<literal>R"(?P<tag>[^()\\\s]{0,16})\(.*?\)(?P=tag)"
                  | "(?:\\.|[^"\\\n])*"
                  | (?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+')""",  # not the ' in 1'000
    re.DOTALL | re.VERBOSE,
)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(["<])([^">]+)[">]', re.MULTILINE)


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def without_comments(text):
    """Same lines and columns, comments turned into spaces."""
    return TOKEN.sub(lambda m: _blank(m[0]) if m["comment"] else m[0], text)


def code_only(text):
    """Same lines and columns; comments, literals and preprocessor lines turned into spaces."""
    text = TOKEN.sub(lambda m: _blank(m[0]), text)
    return re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", lambda m: _blank(m[0]), text, flags=re.MULTILINE)


def includes(text):
    """(line, is_quoted, path) of every #include."""
    text = without_comments(text)
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match[1] == '"', match[2]
