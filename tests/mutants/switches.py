"""A source with many changes in it, each of which counts when tpuwh_mutant<NUMBER>() says so."""

import re

# What compilers say of code that a change made odd.
IGNORED = ("conversion", "sign-conversion", "float-conversion", "narrowing", "parentheses", "dangling-else", "empty-body", "unused",
           "unused-variable", "unused-parameter", "unused-but-set-variable", "unused-but-set-parameter", "unused-function",
           "unused-value", "unused-result", "sign-compare", "bool-compare", "bool-operation", "type-limits", "tautological-compare",
           "int-in-bool-context", "maybe-uninitialized", "uninitialized", "array-bounds", "stringop-overflow", "stringop-overread",
           "return-type", "nonnull", "pedantic", "restrict", "extra", "comment", "overflow", "div-by-zero", "old-style-cast")
# Included by what holds a switch. Which one counts, and which were asked about, are said by the environment.
HEADER = "#pragma once\n" + "".join(f'#pragma GCC diagnostic ignored "-W{name}"\n' for name in IGNORED) + """#include <fcntl.h>
#include <unistd.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>

inline const char* tpuwh_mutants_reached() {
  static const char* const file = std::getenv("TPUWH_MUTANTS_REACHED");
  return file;
}

inline unsigned tpuwh_mutant_chosen() {
  static const char* const chosen = std::getenv("TPUWH_MUTANT");
  static const unsigned number = chosen == nullptr ? 0 : static_cast<unsigned>(std::strtoul(chosen, nullptr, 10));
  return number;
}

template <unsigned Number>
bool tpuwh_mutant() {
  static std::atomic<bool> reached;
  if (const char* const file = tpuwh_mutants_reached(); file != nullptr && !reached.exchange(true)) {
    const int to = open(file, O_WRONLY | O_APPEND | O_CREAT, 0600);
    dprintf(to, "%u\\n", Number);
    close(to);
  }
  return Number == tpuwh_mutant_chosen();
}
"""
_OUTER = {"statement": 0, "condition": 1}  # of two that change the same text
_COMMENT = re.compile(rb"//[^\n]*")


def with_switches(text: bytes, sites: dict, header) -> bytes:
    """`sites`: number -> Site, all of this text. `header` has HEADER. Every line keeps its number."""
    pieces = sorted((begin, -end, _OUTER.get(site.operator, 2), number, after.encode(), site.operator)
                    for number, site in sites.items() for begin, end, after in site.parts)
    head = b'#include "%s"\n#line 1\n' % str(header).encode()
    return head + _switched(text, 0, len(text), [(begin, -end, number, after, operator)
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
    asked = b"tpuwh_mutant<%du>()" % number
    if operator == "statement":
        return b"if (%s) {} else %s" % (asked, original)
    if operator == "condition":  # what is no bool becomes one, in both
        return b"(%s ? %s : !!(%s))" % (asked, after, original)
    return b"(%s ? (%s) : (%s))" % (asked, after, original)


def _in_one_line(text):
    return b" ".join(_COMMENT.sub(b"", text).split(b"\n")) if b"\n" in text else text
