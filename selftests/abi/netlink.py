#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare the netlink header with its specification, uapi/netlink/vnpu.yaml.

The specification is checked against the kernel's schema if the kernel's source
and python3-jsonschema are available (KSRC names the source). Values follow
from the order: attributes and commands count from 1, as in the kernel's
generator.
"""

import os
import re
import subprocess
import sys

import yaml

SPEC = "uapi/netlink/vnpu.yaml"
CC = os.environ.get("CC", "gcc").split()


def c_name(*parts):
    return "_".join(parts).replace("-", "_").upper()


def named_values(spec):
    """Return {constant of C: value} that the specification implies."""
    family = spec["name"]
    values = {}
    for attributes in spec["attribute-sets"]:
        prefix = c_name(family, "a", attributes["name"])
        value = 0
        for attribute in attributes["attributes"]:
            value = attribute.get("value", value + 1)
            values[c_name(prefix, attribute["name"])] = value
        values[prefix + "_MAX"] = value
    value = 0
    for operation in spec["operations"]["list"]:
        value = operation.get("value", value + 1)
        values[c_name(family, "cmd", operation["name"])] = value
    values[c_name(family, "cmd", "max")] = value
    for definition in spec.get("definitions", ()):
        if definition["type"] == "enum":
            for value, entry in enumerate(definition["entries"]):
                values[c_name(family, definition["name"], entry)] = value
    return values


def wrong_values(spec, values):
    asserts = "".join(f'_Static_assert({name} == {value}, "{name}");\n'
                      for name, value in values.items())
    asserts += (f'_Static_assert(!__builtin_strcmp({c_name(spec["name"])}'
                f'_FAMILY_NAME, "{spec["name"]}"), "family");\n')
    headers = {spec["uapi-header"]} | {d["header"] for d
                                       in spec.get("definitions", ())
                                       if "header" in d}
    source = "".join(f"#include <{h}>\n" for h in sorted(headers)) + asserts
    p = subprocess.run(CC + ["-Iuapi", "-fsyntax-only", "-x", "c", "-"],
                       input=source, text=True, stderr=subprocess.PIPE)
    return re.findall(r".*error:.*", p.stderr)


def unspecified(spec, values):
    """Return enumerators of the header that the specification does not have.
    """
    with open(os.path.join("uapi", spec["uapi-header"])) as f:
        text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
    return [name for name in re.findall(r"^\t(\w+)[ ,=]", text, re.M)
            if name not in values and not name.startswith("__")]


def dangling(spec):
    """Return dangling references inside the specification."""
    sets = {s["name"]: {a["name"] for a in s["attributes"]}
            for s in spec["attribute-sets"]}
    enums = {d["name"] for d in spec.get("definitions", ())}
    found = []
    for s in spec["attribute-sets"]:
        for a in s["attributes"]:
            where = f'{s["name"]}.{a["name"]}'
            if a["type"] == "nest" and a["nested-attributes"] not in sets:
                found.append(f"{where}: no such set")
            if "enum" in a and a["enum"] not in enums:
                found.append(f"{where}: no such enum")
    for operation in spec["operations"]["list"]:
        known = sets.get(operation.get("attribute-set"), set())
        for kind in ("do", "dump"):
            for part in ("request", "reply"):
                message = operation.get(kind, {}).get(part, {})
                found += [f'{operation["name"]}: no attribute {name}'
                          for name in message.get("attributes", ())
                          if name not in known]
    return found


def without_doc(spec):
    return [f'{kind["name"]}: no doc' for kind
            in spec["attribute-sets"] + spec["operations"]["list"]
            if not kind.get("doc")]


def schema_errors(spec):
    """Return None if the schema or its interpreter is missing."""
    path = os.path.join(os.environ.get("KSRC") or "/nonexistent",
                        "Documentation/netlink/genetlink.yaml")
    try:
        import jsonschema
        with open(path) as f:
            schema = yaml.safe_load(f)
    except (ImportError, FileNotFoundError):
        return None
    validator = jsonschema.Draft7Validator(schema)
    return [e.message for e in validator.iter_errors(spec)]


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
    with open(SPEC) as f:
        spec = yaml.safe_load(f)
    values = named_values(spec)
    checks = (
        ("the kernel's schema accepts the specification", schema_errors(spec)),
        ("its references are valid", dangling(spec)),
        ("sets and operations are documented", without_doc(spec)),
        ("the header has the same names and values",
         wrong_values(spec, values)),
        ("the header has no others", unspecified(spec, values)),
    )
    print(f"1..{len(checks)}")
    for i, (name, found) in enumerate(checks, 1):
        print("not ok" if found else "ok", i, name + (
            " # SKIP no schema" if found is None else ""))
        for line in (found or ())[:20]:
            print("#", line)
    return int(any(found for _, found in checks))


sys.exit(main())
