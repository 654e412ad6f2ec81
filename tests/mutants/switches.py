"""A source with many changes in it, each of which counts when tpuwh_mutant(NUMBER) says so."""

import re

# Included before everything else. Which one counts, and which were asked about, are said by the environment.
HEADER = """#pragma once
#include <fcntl.h>
#include <unistd.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>

inline bool tpuwh_mutant(int number) {
  static const char* const chosen = std::getenv("TPUWH_MUTANT");
  static const int which = chosen == nullptr ? -1 : std::atoi(chosen);
  static const char* const file = std::getenv("TPUWH_MUTANTS_REACHED");
  static std::atomic<bool> reached[MUTANTS];
  if (file != nullptr && !reached[number].exchange(true)) {
    const int to = open(file, O_WRONLY | O_APPEND | O_CREAT, 0600);
    dprintf(to, "%d\\n", number);
    close(to);
  }
  return number == which;
}
"""
_OUTER = {"statement": 0, "condition": 1}  # of two that change the same text
_COMMENT = re.compile(rb"//[^\n]*")


def with_switches(text: bytes, sites: dict) -> bytes:
    """`sites`: number -> Site, all of this text. Every line stays in its place."""
    pieces = sorted((begin, -end, _OUTER.get(site.operator, 2), number, after.encode(), site.operator)
                    for number, site in sites.items() for begin, end, after in site.parts)
    return _switched(text, 0, len(text), [(begin, -end, number, after, operator)
                                          for begin, end, _, number, after, operator in pieces])


def _switched(text, begin, end, pieces):
    out, at = [], begin
    while pieces:
        (first, last, number, after, operator), *pieces = pieces
        inner = [each for each in pieces if each[1] <= last]
        pieces = pieces[len(inner):]
        original = _switched(text, first, last, inner)
        out += [text[at:first], _one(number, _in_one_line(after), original, operator)]
        at = last
    return b"".join([*out, text[at:end]])


def _one(number, after, original, operator):
    asked = b"tpuwh_mutant(%d)" % number
    if operator == "statement":
        return b"if (%s) {} else %s" % (asked, original)
    if operator == "condition":  # what is no bool becomes one, in both
        return b"(%s ? %s : !!(%s))" % (asked, after, original)
    return b"(%s ? (%s) : (%s))" % (asked, after, original)


def _in_one_line(text):
    return b" ".join(_COMMENT.sub(b"", text).split(b"\n")) if b"\n" in text else text
