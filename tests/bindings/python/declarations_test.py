"""Holds the declarations of the package to a C compiler, to the libraries and to the exceptions."""

import ctypes
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from fardel import c, errors, library

ROOT = Path(__file__).resolve().parents[3]
# fardel_rwops.h is about a struct of SDL, for programs that link SDL.
HEADERS = [path for path in sorted(ROOT.glob("*/include/fardel/*/fardel*.h")) if path.name != "fardel_rwops.h"]


def structs():
    return {name: kind for name, kind in vars(c).items()
            if isinstance(kind, type) and issubclass(kind, ctypes.Structure) and hasattr(kind, "_fields_")}


class DeclarationsTest(unittest.TestCase):
    def test_sizes_offsets_and_constants_are_those_of_a_c_compiler(self):
        lines, expected = [], []
        for name, kind in structs().items():
            lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
            expected.append(f"{name} {ctypes.sizeof(kind)}")
            for field, *_ in kind._fields_:
                part = getattr(kind, field)
                lines.append(f'printf("{name}.{field} %zu %zu\\n", offsetof({name}, {field}), '
                             f'sizeof((({name}*)0)->{field}));')
                expected.append(f"{name}.{field} {part.offset} {part.size}")
        for name, value in vars(c).items():
            if name.startswith("FARDEL_"):
                lines.append(f'printf("{name} %lld\\n", (long long){name});')
                expected.append(f"{name} {value}")
        self.assertGreater(len(expected), 200)
        with tempfile.TemporaryDirectory(prefix="fardel-python-") as folder:
            source = Path(folder, "print.c")
            includes = [str(path).split("/include/", 1)[1] for path in HEADERS]
            source.write_text("#include <stddef.h>\n#include <stdio.h>\n" +
                              "".join(f"#include <{path}>\n" for path in includes) +
                              "int main(void) {\n" + "\n".join(lines) + "\nreturn 0;\n}\n")
            folders = sorted({str(path.parents[2]) for path in HEADERS})
            subprocess.run([os.environ["CC"], "-std=c11", source, "-o", source.with_suffix(""),
                            *(f"-I{each}" for each in folders)], check=True)
            printed = subprocess.run([source.with_suffix("")], check=True, stdout=subprocess.PIPE, text=True).stdout
        self.assertEqual(printed.splitlines(), expected)

    def test_each_function_of_the_headers_is_declared_and_is_in_its_library(self):
        named = set()
        for header in HEADERS:
            # The names alone, so that this does not depend on the parser that made the declarations.
            named |= set(re.findall(r"^FARDEL_API [^;(]*?(fardel_\w+)\(", header.read_text(), re.MULTILINE))
        self.assertEqual(set(c.FUNCTIONS), named)
        for name, (library_name, _, parameters) in c.FUNCTIONS.items():
            self.assertTrue(hasattr(library.load(library_name), name), f"{name} in {library_name}")
            for header in HEADERS:
                declaration = re.search(
                    rf"^FARDEL_API [^;(]*\b{name}\(([^;]*)\);", header.read_text(), re.MULTILINE)
                if declaration:
                    text = declaration[1].strip()
                    count = 0 if text == "void" else text.count(",") + 1
                    self.assertEqual(len(parameters), count, name)

    def test_each_code_has_an_exception_and_the_library_has_its_word(self):
        codes = {name: value for name, value in vars(c).items() if name.startswith("FARDEL_ERROR_")}
        for name, code in codes.items():
            error = errors.error_of(code, "text")
            self.assertIsNot(type(error), errors.Error, name)
            self.assertEqual((error.code, error.text, str(error)), (code, "text", "text"))
            word = library.call("fardel_code_name", code).decode()
            self.assertEqual(f"FARDEL_ERROR_{word.upper()}", name)
        self.assertIs(type(errors.error_of(99, "new")), errors.Error)
        self.assertEqual(errors.error_of(99, "new").code, 99)


if __name__ == "__main__":
    unittest.main()
