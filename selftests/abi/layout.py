#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The layout of the ABI, and a check that published parts never change.

usage: layout.py [--update]

uapi.layout has every constant, and every member's offset and size, as they
were published. Structs only grow at their end, and names keep their values.
--update publishes an addition.
"""

import os
import re
import subprocess
import sys
import tempfile

HEADERS = ("linux/vnpu.h", "linux/vnpu_engine.h", "linux/vnpu_graph.h",
           "linux/vnpu_netlink.h", "linux/vnpu_task.h")
PUBLISHED = "selftests/abi/uapi.layout"
CC = os.environ.get("CC", "gcc").split()
SIZES = {"__u32": 4, "__s32": 4, "__aligned_u64": 8, "__u16": 2, "__u8": 1}
# Structs that are not arguments of a call, but in memory that both sides
# access.
SHARED = ("vnpu_point", "vnpu_device_record", "vnpu_engine_record",
          "vnpu_engine_state", "vnpu_engine_event", "vnpu_engine_completion",
          "vnpu_graph_stream",
          "vnpu_oom_holder", "vnpu_ring", "vnpu_task", "vnpu_task_failure")
# Counts that increase with each addition.
GROWING = re.compile(r"VNPU_ABI_VERSION|VNPU_ABI_OLDEST|\w+_MAX|sizeof vnpu_\w+")


def read(header):
    with open(os.path.join("uapi", header)) as f:
        return re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)


def structs(text):
    """Return {struct: [line of a member, ...]} of the header's text."""
    return {name: [line.strip() for line in body.splitlines() if line.strip()]
            for name, body in re.findall(r"^struct (vnpu_\w+) \{(.*?)^\};",
                                         text, re.M | re.S)}


def member(line):
    """Return (type, name) of a member of a permitted form, or None."""
    m = re.fullmatch(r"(__u32|__s32|__aligned_u64|__u16|__u8) (\w+);"
                     r"|(__u8|__aligned_u64) (\w+)\[\w+\];", line)
    return m and (m[1] or m[3], m[2] or m[4])


def constants(text):
    """Return the names of all numeric constants, in order."""
    return [a or b for a, b in re.findall(
        r"^#define (VNPU_\w+)[ \t]+(?!\")\S|^\t(VNPU_\w+)[ ,=]", text, re.M)]


def compile_c(source, *args):
    return subprocess.run(CC + ["-Iuapi", "-x", "c", *args, "-"],
                          input=source, text=True, stderr=subprocess.STDOUT,
                          stdout=subprocess.PIPE)


def expressions(text):
    """Return {name: C expression of its value} for all that is published."""
    out = {name: f"({name})" for name in constants(text)}
    for struct, lines in structs(text).items():
        out[f"sizeof {struct}"] = f"sizeof(struct {struct})"
        for _, name in filter(None, map(member, lines)):
            out[f"{struct}.{name}"] = f"offsetof(struct {struct}, {name})"
            out[f"{struct}.{name} size"] = \
                f"sizeof(((struct {struct} *)0)->{name})"
    return out


def prologue():
    return "#include <stddef.h>\n" + "".join(
        f"#include <{header}>\n" for header in HEADERS)


def measure(exprs, tmp):
    """Return {name: value} from the native compiler."""
    prints = "".join(f'printf("%llu\\n", (unsigned long long){e});\n'
                     for e in exprs.values())
    program = os.path.join(tmp, "measure")
    p = compile_c("#include <stdio.h>\n" + prologue() +
                  "int main(void) {" + prints + "return 0; }",
                  "-o", program)
    if p.returncode:
        sys.exit(p.stdout)
    values = subprocess.check_output([program], text=True).split()
    return dict(zip(exprs, map(int, values)))


def other_word_size(exprs, values):
    """Return the differences of 32 bits."""
    machine = subprocess.check_output(CC + ["-print-multiarch"], text=True)
    asserts = "".join(f'_Static_assert({e} == {values[what]}ULL, "{what}");\n'
                      for what, e in exprs.items())
    p = compile_c(prologue() + asserts, "-m32", "-ffreestanding",
                  "-fsyntax-only", "-idirafter",
                  "/usr/include/" + machine.strip())
    return re.findall(r".*error:.*", p.stdout)


def unequal_types(all_structs):
    return [f"{struct}: {line}" for struct, lines in all_structs.items()
            for line in lines if not member(line)]


def holes(all_structs, values):
    found = []
    for struct, lines in all_structs.items():
        end = 0
        for _, name in filter(None, map(member, lines)):
            if values[f"{struct}.{name}"] != end:
                found.append(f"{struct}: a hole before {name}")
            end = values[f"{struct}.{name}"] + values[f"{struct}.{name} size"]
        if end != values[f"sizeof {struct}"] or end % 8:
            found.append(f"{struct}: ends with a hole")
    return found


def pahole_says(all_structs, tmp):
    obj = os.path.join(tmp, "abi.o")
    p = compile_c(prologue() + "".join(f"struct {s} {s};\n"
                                       for s in all_structs),
                  "-g", "-c", "-o", obj)
    if p.returncode:
        return [p.stdout]
    text = subprocess.check_output(
        ["pahole", "-C", ",".join(all_structs), obj], text=True)
    found = re.findall(r".*(?:holes?[:,]|paddings?[:,]|bitfield).*", text)
    if text.count("/* size:") != len(all_structs):
        found.append("pahole does not know every struct")
    return found


def heads(all_structs):
    return [struct for struct, lines in all_structs.items()
            if struct not in SHARED and
            lines[:2] != ["__u32 size;", "__u32 flags;"]]


def ioctls(text, values):
    names = re.findall(r"^#define (VNPU_IOCTL_\w+)\s+_IO\(", text, re.M)
    found = [f"{n}: not of the ABI's type" for n in names
             if values[n] >> 8 != values["VNPU_IOCTL_TYPE"]]
    numbers = [values[n] for n in names]
    found += [f"{n}: number used twice" for n in names
              if numbers.count(values[n]) > 1]
    return found if names else ["no ioctl found"]


def task_names(text):
    """Compare the operations of tasks with the list of their names."""
    numbers = re.findall(r"^#define VNPU_TASK_([A-Z0-9_]+)\t+(\d+)$", text, re.M)
    names = re.findall(r'FN\((\w+), "(\w+)"\)', text)
    found = [f"{op}: no name" for op, _ in numbers
             if op not in dict(names)]
    found += [f"{op}: named {name}" for op, name in names
              if name != op.lower() or op not in dict(numbers)]
    return found if numbers else ["no operation found"]


def changed(values):
    try:
        with open(PUBLISHED) as f:
            lines = [line.strip() for line in f if not line.startswith("#")]
    except FileNotFoundError:
        return [f"no {PUBLISHED}"]
    published = dict(line.rsplit(" ", 1) for line in lines if line)
    found = []
    for what, value in published.items():
        now = values.get(what)
        if now is None:
            found.append(f"{what}: gone")
        elif now != int(value) and not (GROWING.fullmatch(what) and
                                        now > int(value)):
            found.append(f"{what}: was {value}, is {now}")
    # A new member inside a struct changes the offsets after it.
    found += [f"{what}: not published (layout.py --update)"
              for what in values if what not in published]
    return found


def update(values):
    with open(PUBLISHED, "w") as f:
        f.write("# SPDX-License-Identifier: GPL-2.0-only\n"
                "# Written by layout.py --update: constants, and offset and "
                "size of every member.\n")
        for what, value in values.items():
            f.write(f"{what} {value}\n")


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
    if sys.argv[1:] not in ([], ["--update"]):
        sys.exit(__doc__)
    texts = [read(header) for header in HEADERS]
    text = "\n".join(texts)
    all_structs = structs(text)
    exprs = expressions(text)
    with tempfile.TemporaryDirectory() as tmp:
        values = measure(exprs, tmp)
        if sys.argv[1:]:
            update(values)
            return 0
        checks = (
            ("members have fixed-width types", unequal_types(all_structs)),
            ("structs begin with size and flags", heads(all_structs)),
            ("structs have no hole", holes(all_structs, values)),
            ("pahole agrees", pahole_says(all_structs, tmp)),
            ("32 bits have the same values", other_word_size(exprs, values)),
            ("ioctl numbers are distinct", ioctls(text, values)),
            ("operations of tasks have names", task_names(read("linux/vnpu_task.h"))),
            ("published parts have not changed", changed(values)),
        )
    print(f"1..{len(checks)}")
    for i, (name, found) in enumerate(checks, 1):
        print("not ok" if found else "ok", i, name)
        for line in found[:20]:
            print("#", line)
    return int(any(found for _, found in checks))


sys.exit(main())
