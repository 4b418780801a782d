#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Find sentences that break the rules of Documentation/contributing.md.

usage: prose.py [--list] [PATH...]

Look for phrases that those rules exclude, in comments of C, Python, shell and
makefiles, in docstrings, in names of tests, and in Markdown. Print the share of
such sentences for each directory, as TAP: a directory above its limit fails.
--list prints the sentences of the named paths instead. The absence of these
phrases does not make a text good, which only a reader can judge.
"""

import ast
import os
import re
import sys

# Percent of sentences, by directory. Limits only ever become lower.
LIMIT = 0.5
LIMITS = {}
# Few sentences exceed any percentage by one.
FEW = 2

DIRECTORIES = ("driver", "lib", "uapi", "tools", "selftests", "Documentation")
# Its rules quote what they exclude.
EXCLUDED = {"Documentation/contributing.md", "selftests/abi/prose.py"}

PHRASES = re.compile(r"""
    \b(tell|tells|told|nobody|anybody|somebody|everybody|whoever|whomever)\b |
    \b(he|him)\b(?!/) |                   # an actor without a name
    (^|[,;:]\s+|\band\s+|\bbut\s+)        # "Who waits is woken"
        who\s+(?!(is|are|was|has)\b.*\?)\w+ |
    \b(for|of|to|from|by|with)\s+who\b | \bfor\s+whom\b |
    ^What\s+(?!(is|are|if|to)\b)(?!.*\?) |  # "What fails is counted."
    \b(of|by|from|with|beside|behind)\s+what\b |
    \bare\s+what\b | \bis\s+told\b |
    \b(goes|go)\s+with\s+(it|him|them)\b |
    \bno\s+such\s+one\b
""", re.VERBOSE | re.IGNORECASE)

C_TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\''
                     r"|/\*.*?\*/|//[^\n]*", re.DOTALL)


# Tables of tests in C, decorators in Python, calls of tap.sh.
TEST_NAME = re.compile(r'^\s*(?:\{ |@(?:test|with_ynl)\(f?|tap_(?:check|silent) )"([^"\n]+)"',
                       re.MULTILINE)


def test_names(text):
    """Names of tests, which need not be sentences."""
    yield from (name + "." for name in TEST_NAME.findall(text))


def c_texts(text):
    for match in C_TOKEN.finditer(text):
        token = match.group()
        if token.startswith("/"):
            lines = token.strip("/*").splitlines()
            yield "\n".join(line.lstrip(" \t*") for line in lines)


def hash_texts(text):
    """Comments, of which consecutive lines belong together."""
    lines = []
    for line in text.splitlines() + [""]:
        match = re.match(r"\s*#(?!!)\s?(.*)", line)
        if match:
            lines.append(match.group(1))
        elif lines:
            yield "\n".join(lines)
            lines = []


def python_texts(text):
    yield from hash_texts(text)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            yield ast.get_docstring(node) or ""


def markdown_texts(text):
    """Paragraphs and cells of tables, without code."""
    text = re.sub(r"^```.*?^```|<!--.*?-->|^    .*?$", "", text,
                  flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"`[^`\n]*`", "X", text)
    return re.split(r"\n\s*\n|\n(?=[-*#|])|\|", text)


def reader(path):
    """The function that extracts the texts of a file, or None."""
    name = os.path.basename(path)
    if name.endswith((".c", ".h")):
        return c_texts
    if name.endswith(".py"):
        return python_texts
    if name.endswith(".md"):
        return markdown_texts
    if name.endswith((".sh", ".mk")) or name in ("run", "check", "figures"):
        return hash_texts
    if name == "vnpu-vm":
        return python_texts
    return None


def sentences(path):
    read = reader(path)
    if not read:
        return
    with open(path, encoding="utf-8") as file:
        content = file.read()
    texts = list(read(content))
    if path.startswith("selftests/"):
        texts += test_names(content)
    for text in texts:
        for part in re.split(r"(?<=[.!?:;])\s+(?=[A-Z])|\n\s*\n", text):
            part = " ".join(part.split())
            if len(re.findall(r"[A-Za-z]{2,}", part)) >= 2 and \
                    "SPDX" not in part:
                yield part


def is_excluded(sentence):
    """Ignore the names of members in kernel-doc."""
    return bool(PHRASES.search(re.sub(r"@\w+", "X", sentence)))


def files(path):
    if os.path.isfile(path):
        return [path]
    return sorted(os.path.join(root, name)
                  for root, _, names in os.walk(path) for name in names
                  if os.path.join(root, name) not in EXCLUDED)


def groups():
    """Yield each directory, and those of the tests and tools separately."""
    for directory in DIRECTORIES:
        if directory in ("selftests", "tools"):
            for name in sorted(os.listdir(directory)):
                if os.path.isdir(os.path.join(directory, name)):
                    yield os.path.join(directory, name)
        else:
            yield directory


def main():
    paths = [arg for arg in sys.argv[1:] if arg != "--list"]
    if "--list" in sys.argv:
        for path in paths or DIRECTORIES:
            for file in files(path):
                for sentence in sentences(file):
                    if is_excluded(sentence):
                        print(f"{file}: {sentence}")
        return 0
    failed = 0
    names = paths or list(groups())
    print(f"1..{len(names)}")
    for number, name in enumerate(names, 1):
        found = [is_excluded(sentence)
                 for file in files(name) for sentence in sentences(file)]
        count, total = sum(found), max(len(found), 1)
        is_good = count <= max(FEW, LIMITS.get(name, LIMIT) * total / 100)
        failed += not is_good
        print(f"{'' if is_good else 'not '}ok {number} {name}: {count} of "
              f"{total} sentences, {100 * count / total:.2f} %")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
