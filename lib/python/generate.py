#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make the functions of the module acl of acl.table and the headers.

usage: generate.py calls|stub TABLE HEADER...

Print C source that has a table of methods for each submodule, or the type stub.
The types of arguments and the summaries are those of the headers.
"""

import re
import sys

# Integer types and the conversions of their arguments.
INTEGERS = {
    "int8_t": "int", "int16_t": "int", "int32_t": "int", "int64_t": "int",
    "int": "int",
    "aclError": "int", "uint8_t": "uint", "uint16_t": "uint",
    "uint32_t": "uint", "uint64_t": "uint", "size_t": "uint",
    "aclFloat16": "uint",
}
# Numbers of an exception that are valid in its callback only.
INFO = "aclrtExceptionInfo *"


def die(text):
    sys.exit(f"generate.py: {text}")


def snake(name):
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()


class Headers:
    """The types, prototypes and summaries that headers declare."""

    def __init__(self, paths):
        text = "".join(open(path, encoding="utf-8").read() for path in paths)
        self.summaries = {
            name: " ".join(summary.replace("\n *", " ").split())
            for name, summary in re.findall(
                r"/\*\*\n \* (\w+)\(\) - (.*?)(?=\n \*(?: @|/|\n))", text, re.S)}
        text = re.sub(r"/\*.*?\*/|^#(?:[^\n]*\\\n)*[^\n]*$", "", text,
                      flags=re.S | re.M)
        text = re.sub(r'ACL_DEPRECATED_MESSAGE\("[^"]*"\)'
                      r"|ACL_FUNC_VISIBILITY|VNPU_PUBLIC", "", text)
        self.enums = set(re.findall(
            r"typedef enum (?:\w+ )?\{[^}]*\} (\w+);", text))
        self.pointers = set(re.findall(r"typedef (?:void|struct \w+) \*(\w+);", text))
        self.structs = set(re.findall(
            r"typedef (?:struct|union) \w+ \{[^}]*\} (\w+);", text))
        self.structs |= set(re.findall(r"^(struct \w+) \{", text, re.M))
        self.prototypes = {
            name: (result, parameters) for result, name, parameters in re.findall(
                r"^((?:const )?[\w ]+?[\s*]+)(\w+)\(([^;{}]*?)\);", text, re.M)}

    def prototype(self, name):
        """Return the type of the result, and (name, type, is it const) of parameters."""
        if name not in self.prototypes:
            die(f"no header declares {name}")
        result, parameters = self.prototypes[name]
        return self.type_of(result), [self.parameter(p)
                                      for p in parameters.split(",")
                                      if p.strip() != "void"]

    @staticmethod
    def type_of(text):
        """Return the type without const, with one space before its asterisks."""
        words = re.sub(r"\bconst\b", "", text).replace("*", " * ").split()
        stars = "".join(w for w in words if w == "*")
        base = " ".join(w for w in words if w != "*")
        return f"{base} {stars}".rstrip()

    def parameter(self, text):
        declaration, name, array = re.match(r"(.*?)(\w+)\s*((?:\[\])?)$",
                                            text.strip(), re.S).groups()
        ctype = self.type_of(declaration + ("*" if array else ""))
        return name, ctype, declaration.startswith("const")

    def is_address(self, ctype):
        return ctype.endswith("*") or ctype in self.pointers


class Parameter:
    """A parameter of the C function, and its part in the Python function."""

    def __init__(self, headers, declared, note):
        self.name, self.ctype, const = declared
        self.headers = headers
        self.note, self.of = re.match(r"(\w*)(?:\[(\w+)\])?", note).groups()
        self.target = self.ctype[:-1].rstrip()
        if not self.note:
            self.note = self.default(const)
        if self.note == "address":
            self.note = "number"

    def default(self, const):
        if self.ctype == "char *":
            if not const:
                die(f"{self.name} needs text[LENGTH]")
            return "string"
        if self.ctype == INFO:
            return "info"
        if self.ctype in ("float", "double"):
            return "float"
        if not self.ctype.endswith("*") or self.ctype == "void *":
            return "number"
        if self.target in self.headers.structs:
            return "dict" if const else "out"
        scalar = (self.target in INTEGERS or self.target in ("float",) or
                  self.target in self.headers.enums or
                  self.headers.is_address(self.target))
        return "out" if scalar and not const else "number"

    @property
    def is_argument(self):
        return self.note in ("number", "any", "float", "string", "optional",
                             "list", "same", "dict", "dicts", "readable",
                             "writable", "info", "within")

    @property
    def is_result(self):
        return self.note in ("out", "sized", "text")

    def stub_type(self):
        if self.note == "dicts":
            return "list[_Struct]"
        by_address = self.note in ("out", "sized", "dict")
        base = self.target if by_address else self.ctype
        if base in self.headers.structs:
            return "_Struct"
        if self.note in ("list", "same"):
            items = {"char *": "str", "float": "float"}.get(self.target, "int")
            return f"list[{items}]"
        return {"string": "str", "optional": "str", "text": "str"}.get(
            self.note, "float" if base in ("float", "double") else "int")

    def declare(self):
        if self.note == "sized":
            size = f".size = sizeof({self.target})"
            return f"{self.target} {self.name} = {{ {size} }};"
        if self.note in ("out", "dict", "dicts"):
            return f"{self.target} {self.name} = {{ 0 }};"
        if self.note == "text":
            return f"char *{self.name} = NULL;"
        if self.note in ("string", "optional"):
            return f"const char *{self.name} = NULL;"
        star = "" if self.ctype.endswith("*") else " "
        return f"{self.ctype}{star}{self.name} = 0;"

    def convert(self, index):
        """Return the expression that is true if the argument was converted."""
        size = f"&{self.name}, sizeof({self.name})"
        if self.note in ("string", "optional"):
            return f"acl_arg_{self.note}(&call_, {index}, &{self.name})"
        if self.note in ("any", "float"):
            return f"acl_arg_{self.note}(&call_, {index}, {size})"
        if self.note in ("dict", "dicts"):
            struct = self.target.replace("struct ", "")
            return f"acl_arg_{struct}(&call_, {index}, &{self.name})"
        if self.note in ("list", "same"):
            items = (f"(void **)&{self.name}, sizeof(*{self.name}), "
                     f"acl_item_{self.kind(self.target)}")
            length = (f"&{self.of}, sizeof({self.of})" if self.note == "list"
                      else self.of)
            return f"acl_arg_{self.note}(&call_, {index}, {items}, {length})"
        if self.note == "info":
            return f"acl_arg_info(&call_, {index}, &{self.name})"
        return f"acl_arg_{self.kind(self.ctype)}(&call_, {index}, {size})"

    def kind(self, ctype):
        """Return the conversion of a value of a type."""
        if ctype == "char *":
            return "string"
        if self.headers.is_address(ctype):
            return "uint"
        if ctype in self.headers.enums:
            return "enum"
        if ctype == "float":
            return "float"
        return INTEGERS.get(ctype) or die(f"type {ctype}")

    def check(self, index):
        """Return the condition that depends on other arguments, or None."""
        if self.note in ("readable", "writable"):
            return f"acl_check_{self.note}(&call_, {index}, {self.name}, {self.of})"
        if self.note == "within":
            return f"acl_check_within(&call_, {index}, {self.name}, {self.of})"
        if self.note == "text":
            return f"acl_text_alloc(&call_, &{self.name}, {self.of})"
        return None

    def pass_on(self):
        if self.note == "length":
            return f"acl_length({self.of})"
        if self.note == "string":
            return f"(char *){self.name}"
        if self.note in ("list", "same"):
            # Pointers to pointers to const do not convert by themselves.
            return f"(void *){self.name}"
        by_address = self.note in ("out", "sized", "dict", "dicts")
        return f"&{self.name}" if by_address else self.name


class Function:
    """A line of the table. The top of the table describes its format."""

    def __init__(self, headers, line):
        line, _, summary = line.partition(" # ")
        words, _, order = line.partition(" -> ")
        name, self.c_name, *notes = words.split()
        self.module, _, self.name = name.rpartition(".")
        self.id = (self.module + "_" if self.module else "acl_") + self.name
        self.by_hand = None
        self.summary = (summary or headers.summaries.get(self.c_name) or
                        f"call {self.c_name}()")
        if notes and notes[0] == ":":
            self.by_hand = " ".join(notes[1:]), order
            return
        self.result, declared = headers.prototype(self.c_name)
        notes = dict(note.split("=") for note in notes)
        self.drops = notes.pop("then", None) == "drop"
        self.test = notes.pop("check", None)
        self.parameters = [Parameter(headers, d, notes.pop(d[0], ""))
                           for d in declared]
        if notes:
            die(f"{name}: no parameter {' '.join(notes)}")
        counts = set()
        for p in self.parameters:
            if p.note == "list" and p.of in counts:
                p.note = "same"
            elif p.note == "list":
                counts.add(p.of)
        for p in self.parameters:
            if p.name in counts:
                p.note = "count"
        self.arguments = [p for p in self.parameters if p.is_argument]
        self.results = [p for p in self.parameters if p.is_result]
        if order:
            by_name = {p.name: p for p in self.parameters}
            self.results = [by_name[n] for n in order.split()]
        self.headers = headers

    def built(self, ctype, value):
        """Return the format and the arguments of Py_BuildValue() for a C value."""
        if ctype in self.headers.structs:
            return "N", f"acl_dict_{ctype.replace('struct ', '')}(&{value})"
        if ctype in ("char *",):
            return "s", value
        if ctype in ("float", "double"):
            return "d", f"(double){value}"
        if self.headers.is_address(ctype):
            return "K", f"acl_address({value})"
        if INTEGERS.get(ctype) == "uint":
            return "K", f"(unsigned long long){value}"
        return "L", f"(long long){value}"

    def signature(self):
        if self.by_hand:
            return self.by_hand
        arguments = [snake(p.name) + ": " + p.stub_type() +
                     (" = ..." if p.note == "optional" else "")
                     for p in self.arguments]
        results = [p.stub_type() for p in self.results]
        if self.result == "char *":
            results.append("str | None")
        elif self.result != "void":
            results.append("float" if self.result == "float" else "int")
        returns = ("None" if not results else results[0] if len(results) == 1
                   else f"tuple[{', '.join(results)}]")
        return ", ".join(arguments), returns

    def names(self):
        return [snake(p.name) for p in self.arguments]

    def doc(self):
        if self.by_hand:
            plain = ", ".join(
                re.sub(r": .*?(?:( = )|$)", lambda m: "=" if m[1] else "", a)
                for a in re.split(r", (?=\w+: )", self.by_hand[0]) if a)
        else:
            plain = ", ".join(n + ("=''" if p.note == "optional" else "")
                              for n, p in zip(self.names(), self.arguments))
        returns = self.signature()[1]
        if not self.by_hand and self.result != "void":
            results = [snake(p.name) for p in self.results]
            results.append("ret" if self.result == "aclError" else "value")
            returns = ", ".join(results)
        slash = ", /" if plain else ""
        summary = self.summary[0].upper() + self.summary[1:]
        see = f"  See {self.c_name}()." if self.c_name != "-" else ""
        return (f"{self.name}({plain}{slash})\\n--\\n\\n{summary}.\\n\\n"
                f"Return {returns}.{see}")

    def code(self):
        """Return the C function.  No parameter ends in an underscore."""
        names = ", ".join(f'"{n}"' for n in self.names()) or "NULL"
        name = f"acl.{self.module}.{self.name}" if self.module else f"acl.{self.name}"
        lines = [
            f"static PyObject *py_{self.id}(PyObject *module_, "
            "PyObject *const *values_,", "\tPy_ssize_t count_)", "{",
            f"\tstatic const char *const names_[] = {{ {names} }};",
            f'\tstruct acl_call call_ = {{ "{name}", names_, values_, count_ }};']
        lines += [f"\t{p.declare()}" for p in self.parameters if p.note != "length"]
        if self.result != "void":
            star = "" if self.result.endswith("*") else " "
            const = "const " if self.result == "char *" else ""
            lines.append(f"\t{const}{self.result}{star}value_ = 0;")
        required = sum(p.note != "optional" for p in self.arguments)
        tests = [f"acl_arg_count(&call_, {required}, {len(self.arguments)})"]
        tests += [p.convert(i) for i, p in enumerate(self.arguments)]
        at = {p.name: i for i, p in enumerate(self.arguments)}
        tests += filter(None, (p.check(at.get(p.name)) for p in self.parameters))
        if self.test:
            tests.append("acl_check_" + self.test.replace("(", "(&call_, ", 1))
        call = f"{self.c_name}({', '.join(p.pass_on() for p in self.parameters)});"
        if self.result != "void":
            call = "value_ = " + call
        condition = " &&\n\t    ".join(tests)
        lines += ["\tPyObject *result_ = NULL;", "", "\t(void)module_;",
                  f"\tif ({condition}) {{", "\t\tPy_BEGIN_ALLOW_THREADS",
                  f"\t\t{call}", "\t\tPy_END_ALLOW_THREADS"]
        if self.drops:
            lines += ["\t\tif (!value_)",
                      "\t\t\tacl_callbacks_drop(acl_address(stream));"]
        lines += [f"\t\tresult_ = Py_BuildValue({self.build()});", "\t}",
                  "\tacl_call_end(&call_);", "\treturn result_;", "}", ""]
        return "\n".join(lines)

    def build(self):
        """Return the arguments of Py_BuildValue()."""
        # A struct is a result by its own type, text by that of C.
        built = [self.built(p.target if p.note in ("out", "sized") else p.ctype, p.name)
                 for p in self.results]
        if self.result != "void":
            built.append(self.built(self.result, "value_"))
        formats = "".join(letter for letter, _ in built)
        return ", ".join([f'"{formats}"'] + [value for _, value in built])


def read_table(path, headers):
    text = open(path, encoding="utf-8").read()
    text = re.sub(r"\\\n\s*", "", text)
    return [Function(headers, line) for line in text.splitlines()
            if line.strip() and not line.startswith("#")]


def print_calls(functions):
    print("/* SPDX-License-Identifier: MIT */")
    print("/* Made by generate.py of acl.table and the headers. */")
    print('#include "acl_module.h"\n')
    for f in functions:
        if not f.by_hand:
            print(f.code())
    for module in sorted({f.module for f in functions}):
        print(f"PyMethodDef acl_methods_{module or 'acl'}[] = {{")
        for f in functions:
            if f.module == module:
                print(f'\t{{ "{f.name}", (PyCFunction)(void (*)(void))py_{f.id},\n'
                      f'\t  METH_FASTCALL, "{f.doc()}" }},')
        print("\t{ 0 }\n};\n")


def print_stub(functions):
    print("# SPDX-License-Identifier: MIT")
    print("# Made by generate.py of acl.table and the headers.")
    print("# Submodules are written as classes; their functions need no object.")
    print("from typing import Any, Callable\n")
    print("_Struct = dict[str, Any]")
    for module in sorted({f.module for f in functions}):
        indent = "    " if module else ""
        print(f"\nclass {module}:" if module else "")
        for f in functions:
            # A name that is looked up at run time would hide wrong ones.
            if f.module != module or f.name == "__getattr__":
                continue
            arguments, returns = f.signature()
            slash = ", /" if arguments else ""
            if module:
                print(f"{indent}@staticmethod")
            print(f"{indent}def {f.name}({arguments}{slash}) -> {returns}: ...")


def main():
    if len(sys.argv) < 4 or sys.argv[1] not in ("calls", "stub"):
        sys.exit(__doc__)
    functions = read_table(sys.argv[2], Headers(sys.argv[3:]))
    (print_calls if sys.argv[1] == "calls" else print_stub)(functions)


if __name__ == "__main__":
    main()
