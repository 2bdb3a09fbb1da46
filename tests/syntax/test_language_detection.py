"""Which language a file is in."""

from __future__ import annotations

import pytest

from qidf.syntax import LANGUAGES, detect_language


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("a/b/app.py", b"", "python"),
        ("Makefile", b"", "make"),
        ("Makefile.am", b"", "make"),
        ("Dockerfile.dev", b"", "dockerfile"),
        ("CMakeLists.txt", b"", "cmake"),
        ("UPPER.PY", b"", "python"),
        ("plot.R", b"", "r"),
        ("tool", b"#!/usr/bin/env python3\n", "python"),
        ("tool", b"#!/usr/bin/env -S deno run\n", "javascript"),
        ("tool", b"#!/usr/bin/python3.11 -u\n", "python"),
        ("tool", b"#! /bin/sh\n", "bash"),
        ("tool", b"#!/usr/bin/env LANG=C ruby\n", "ruby"),
        ("tool", b"no interpreter", None),
        ("tool", b"#!", None),
        ("shape.h", b"struct shape;\n", "c"),
        ("shape.h", b"// c\nnamespace shapes {\n", "cpp"),
        ("shape.h", b"#import <Foundation/Foundation.h>\n", "objc"),
        ("shape.m", b"@implementation Shape\n", "objc"),
        ("shape.m", b"function area()\n", "matlab"),
        ("shape.m", b"nothing to tell by", None),
        ("app.pl", b"use strict;\n", "perl"),
        ("app.pl", b":- module(app, []).\n", None),
        ("app.ts", b"let x: number;\n", "typescript"),
        ("app_de.ts", b"<?xml version='1.0'?>\n<!DOCTYPE TS>", "xml"),
        ("data.unknown", b"#!/bin/sh", None),
        (".gitignore", b"", None),
        ("", b"", None),
    ],
)
def test_a_file_is_known_by_name_interpreter_or_content(
    path: str, source: bytes, expected: str | None
) -> None:
    found = detect_language(path, source)
    assert (None if found is None else found.name) == expected


def test_no_name_or_ending_belongs_to_two_languages() -> None:
    for field in ("extensions", "filenames", "interpreters"):
        names = [name for each in LANGUAGES.values() for name in getattr(each, field)]
        assert len(names) == len(set(names))
