# SPDX-License-Identifier: GPL-2.0-only
"""The part of JSON Schema that Documentation/vnpu-smi.schema.json uses.

It is implemented here so that the tests need no package, and is strict on
purpose: an unknown keyword is an error, and is not ignored.
"""

import json
import re

TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "boolean": lambda v: isinstance(v, bool),
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "null": lambda v: v is None,
}


class Invalid(Exception):
    """The value does not conform to the schema."""


def expect(good, where, what):
    if not good:
        raise Invalid(f"{where}: {what}")


class Schema:
    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            self.root = json.load(f)

    def validate(self, name, value):
        self.check(value, self.root["$defs"][name], name)

    def check(self, value, rule, where):
        for word, argument in rule.items():
            method = getattr(self, "_" + word.lstrip("$"))
            method(value, argument, where, rule)

    def _ref(self, value, ref, where, _rule):
        self.check(value, self.root["$defs"][ref.removeprefix("#/$defs/")],
                   where)

    def _description(self, *_):
        pass

    def _type(self, value, types, where, _rule):
        types = [types] if isinstance(types, str) else types
        expect(any(TYPES[t](value) for t in types), where,
               f"{value!r} is not of type {types}")

    def _properties(self, value, properties, where, _rule):
        if value is None:       # type that has allowed
            return
        for key, rule in properties.items():
            if key in value:
                self.check(value[key], rule, f"{where}.{key}")

    def _required(self, value, keys, where, _rule):
        for key in keys if value is not None else ():
            expect(key in value, where, f"{key} is missing")

    def _additionalProperties(self, value, allowed, where, rule):
        expect(allowed is False, where, "an object of the schema is open")
        for key in value or ():
            expect(key in rule["properties"], where, f"{key} is unknown")

    def _items(self, value, rule, where, _rule):
        for i, item in enumerate(value):
            self.check(item, rule, f"{where}[{i}]")

    def _enum(self, value, values, where, _rule):
        expect(value in values, where, f"{value!r} is none of {values}")

    def _const(self, value, const, where, _rule):
        expect(value == const, where, f"{value!r} is not {const!r}")

    def _minimum(self, value, limit, where, _rule):
        expect(value is None or value >= limit, where,
               f"{value} is below {limit}")

    def _maximum(self, value, limit, where, _rule):
        expect(value is None or value <= limit, where,
               f"{value} is above {limit}")

    def _pattern(self, value, pattern, where, _rule):
        expect(value is None or re.search(pattern, value), where,
               f"{value!r} does not match {pattern}")
