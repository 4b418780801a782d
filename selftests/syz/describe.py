#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The description of /dev/vnpu for syzkaller, dev_vnpu.txt.

usage: describe.py                      compare it with the header, print TAP
       describe.py --table FILE                generate C tables for
       selftests/fuzz
"""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DESCRIPTION = os.path.join(HERE, "dev_vnpu.txt")
HEADERS = [os.path.join(HERE, "../../uapi/linux", name)
           for name in ("vnpu.h", "vnpu_engine.h", "vnpu_graph.h")]

# Bits of a type of C, and of one of the description.
C_BITS = {"__u32": 32, "__s32": 32, "__aligned_u64": 64, "__u8": 8}
# Memory that the kernel writes: no call takes it.
WRITTEN = ("vnpu_engine_state",)


class Description:
    """Parse the file: structs are {name: [(field, type, is_out), ...]}."""

    def __init__(self, text):
        lines = [line for line in text.splitlines()
                 if line.strip() and not line.startswith("#")]
        self.resources, self.structs, self.sets = {}, {}, {}
        self.ioctls = {}        # {constant: struct}
        self.wrong = []
        struct = None
        for line in lines:
            struct = self.take(line, struct)
        if struct is not None:
            self.wrong.append("a struct has no end")

    def take(self, line, struct):
        """Parse a line; return its struct, or None after the end of it."""
        if struct is not None:
            if line == "}":
                return None
            m = re.fullmatch(r"\t(\w+)\t+(\S.*?)(\s+\(out\))?", line)
            if m:
                struct.append((m[1], m[2], bool(m[3])))
            else:
                self.wrong.append(line)
            return struct
        if m := re.fullmatch(r"(\w+) \{", line):
            return self.structs.setdefault(m[1], [])
        if m := re.fullmatch(r"resource (\w+)\[(\w+)\]", line):
            self.resources[m[1]] = m[2]
        elif m := re.fullmatch(r"(\w+) = (.*)", line):
            self.sets[m[1]] = m[2].split(", ")
        elif m := re.fullmatch(
                r"ioctl\$(\w+)\(fd fd_vnpu(?:_engine)?, cmd const\[(\w+)\], "
                r"arg ptr\[inout, (\w+)\]\)", line):
            self.ioctls[m[2]] = m[3]
            if m[1] != m[2]:
                self.wrong.append(line)
        elif not re.match(r"include <|openat\$vnpu\(|mmap\$vnpu_\w+\(", line):
            self.wrong.append(line)
        return None

    def bits(self, kind):
        """The width of a field, or (width of an element, count) of an array.
        """
        if m := re.fullmatch(r"array\[int(8|64), (\w+)\]", kind):
            return int(m[1]), m[2]
        if m := re.fullmatch(r"(vma|ptr)64\b.*", kind):
            return 64
        if m := re.search(r"\bint(\d+)\b[^,]*$", kind):
            return int(m[1])
        base = self.resources.get(kind)
        if base == "fd":
            return 32
        return self.bits(base) if base else None


class Header:
    def __init__(self, text):
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        self.ioctls = re.findall(
            r"^#define (VNPU_IOCTL_\w+)\s+_IO\(", text, re.M)
        self.flags = set(re.findall(r"^#define (VNPU_\w+_F_\w+)\s", text, re.M))
        self.structs = {
            name: [self.member(line) for line in body.split(";")
                   if line.strip()]
            for name, body in re.findall(r"^struct (vnpu_\w+) \{(.*?)^\};",
                                         text, re.M | re.S)
            if name not in WRITTEN}

    @staticmethod
    def member(line):
        m = re.fullmatch(r"(\w+) (\w+)(?:\[(\w+)\])?", line.strip())
        bits = C_BITS[m[1]]
        return m[2], (bits, m[3]) if m[3] else bits


def compare_structs(desc, header):
    for name, members in header.structs.items():
        described = [(field, desc.bits(kind)) for field, kind, _
                     in desc.structs.get(name, [])]
        if described != members:
            yield f"{name}: {[m for m in members if m not in described]}"
    for name in desc.structs.keys() - header.structs.keys():
        yield f"{name} is not in the header"


def compare_ioctls(desc, header):
    for name in set(header.ioctls) ^ desc.ioctls.keys():
        yield f"{name} is in one of them alone"
    for name, struct in desc.ioctls.items():
        if struct != name.replace("VNPU_IOCTL", "VNPU").lower():
            yield f"{name} takes {struct}"


def compare_flags(desc, header):
    described = {word for words in desc.sets.values() for word in words}
    for name in header.flags - described:
        yield f"{name} is not described"
    for name in described:
        if "_F_" in name and name not in header.flags:
            yield f"{name} is not in the header"


def outputs(desc, _):
    """Exactly the fields that the kernel writes are marked."""
    for struct, fields in desc.structs.items():
        for field, _, is_out in fields:
            if field.startswith("out_") != is_out:
                yield f"{struct}.{field}"


def references(desc, _):
    for struct, fields in desc.structs.items():
        for field, kind, _ in fields:
            if desc.bits(kind) is None:
                yield f"{struct}.{field}: no type {kind}"
            m = re.match(r"flags\[(\w+),", kind)
            if m and m[1] not in desc.sets:
                yield f"{struct}.{field}: no set {m[1]}"
    yield from desc.wrong


def check(desc, header):
    tests = (("every struct of the header is described", compare_structs),
             ("every ioctl is described", compare_ioctls),
             ("every flag is described", compare_flags),
             ("fields of results are marked", outputs),
             ("all names are defined", references))
    failed = False
    for number, (name, test) in enumerate(tests, 1):
        found = list(test(desc, header))
        failed |= bool(found)
        print("not ok" if found else "ok", number, name)
        for line in found:
            print("#", line)
    print(f"1..{len(tests)}")
    return failed


def field_of_table(desc, struct, field, kind, is_out):
    """A row of C: the kind of value, the set or resource, and a limit."""
    what, name, limit = "INT", 0, "~0ULL"
    if kind in desc.resources:
        what, name = "RESOURCE", "RES_" + kind.upper()
    elif m := re.match(r"flags\[(\w+),", kind):
        bits = all("_F_" in word for word in desc.sets[m[1]])
        what, name = "BITS" if bits else "ONE_OF", "SET_" + m[1].upper()
    elif m := re.match(r"int\d+\[0:(\d+)\]", kind):
        limit = m[1]
    elif kind.startswith("len[parent"):
        what = "SIZE"
    elif kind.startswith("len["):
        what = "COUNT"
    elif kind.startswith("const[0"):
        what = "ZERO"
    elif kind == "vma64[opt]":
        what = "ADDRESS_OR_0"
    elif kind.startswith("vma64"):
        what = "ADDRESS"
    elif kind.startswith("ptr64"):
        what = "POINTS"
    if is_out:
        if what != "RESOURCE":
            return None
        what = "RESULT"
    return (f"\t{{ FIELD_{what}, {name}, {limit}ULL, "
            f"offsetof(struct {struct}, {field}), "
            f"sizeof(((struct {struct} *)0)->{field}) }},").replace(
                "ULLULL", "ULL")


def table(desc):
    yield "/* SPDX-License-Identifier: GPL-2.0-only */"
    yield "/* Made by selftests/syz/describe.py of dev_vnpu.txt. */"
    yield "enum resource {"
    yield from (f"\tRES_{name.upper()}," for name in desc.resources)
    yield "\tRESOURCES\n};"
    used = {name: words for name, words in desc.sets.items()
            if any(kind.startswith(f"flags[{name},")
                   for fields in desc.structs.values()
                   for _, kind, _ in fields)}
    yield "enum set {"
    yield from (f"\tSET_{name.upper()}," for name in used)
    yield "};"
    yield "static const struct set_of sets[] = {"
    for name, words in used.items():
        values = "".join(word + ", " for word in words)
        yield (f"\t[SET_{name.upper()}] = {{ {len(words)}, "
               f"(const __u64[]){{ {values}}} }},")
    yield "};"
    yield "static const struct call_of calls[] = {"
    for ioctl, struct in desc.ioctls.items():
        yield f"{{ \"{ioctl}\", {ioctl}, sizeof(struct {struct}),"
        yield "  (const struct field[]){"
        for field, kind, is_out in desc.structs[struct]:
            row = field_of_table(desc, struct, field, kind, is_out)
            if row:
                yield row
        yield "\t{ FIELD_END, 0, 0, 0, 0 } } },"
    yield "};"


def main():
    with open(DESCRIPTION) as f:
        desc = Description(f.read())
    if len(sys.argv) == 3 and sys.argv[1] == "--table":
        with open(sys.argv[2], "w") as f:
            f.writelines(line + "\n" for line in table(desc))
        return False
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    text = ""
    for header in HEADERS:
        with open(header) as f:
            text += f.read()
    return check(desc, Header(text))


if __name__ == "__main__":
    sys.exit(main())
