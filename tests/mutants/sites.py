"""Where a source can be changed, by its syntax tree: each change is one that a test should notice.

    comparison  == for !=, < for >, <= for >=, and back
    boundary    < for <=, > for >=, and back
    constant    a whole number is one more
    condition   of if, while, for and ?: is its contrary
    statement   an expression that is a statement by itself is left out
    arguments   two neighbouring ones of the same type change places, but not of what asks for neither first
                (max, min), nor where one is written to and the other is not

What a macro of a header made, what stands in a template's `requires`, and what is evaluated by the
compiler alone (static_assert, an array's bound, a case) is no site.
"""

import dataclasses
import itertools
import re
import sys

sys.path.append("/usr/lib/python3/dist-packages")
from clang import cindex  # noqa: E402  (python3-clang-19)
from clang.cindex import BinaryOperator, CursorKind, TypeKind  # noqa: E402

LIBRARY = "/usr/lib/llvm-19/lib/libclang-19.so.1"
COMPARISONS = {BinaryOperator.EQ: "!=", BinaryOperator.NE: "==", BinaryOperator.LT: ">", BinaryOperator.GT: "<",
               BinaryOperator.LE: ">=", BinaryOperator.GE: "<="}
BOUNDARIES = {BinaryOperator.LT: "<=", BinaryOperator.LE: "<", BinaryOperator.GT: ">=", BinaryOperator.GE: ">"}
SPELLING = {BinaryOperator.EQ: "==", BinaryOperator.NE: "!=", BinaryOperator.LT: "<", BinaryOperator.GT: ">",
            BinaryOperator.LE: "<=", BinaryOperator.GE: ">="}
COMPILERS_OWN = {CursorKind.STATIC_ASSERT, CursorKind.CASE_STMT, CursorKind.TEMPLATE_TYPE_PARAMETER,
                 CursorKind.TEMPLATE_NON_TYPE_PARAMETER, CursorKind.ENUM_DECL, CursorKind.CONCEPT_DECL}
COMMUTES = re.compile(r"(max|min|swap|_mm(256)?_(max|min|add|or|and|xor|mulhi|mullo|cmpeq)_\w+)$")
OF_TEXT = {f"operator{text}": kind for kind, text in SPELLING.items()}  # and of other classes
# What an expression may be that is a statement by itself.
STATEMENTS = {CursorKind.CALL_EXPR, CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR,
              CursorKind.UNARY_OPERATOR, CursorKind.UNEXPOSED_EXPR}


@dataclasses.dataclass(frozen=True, order=True)
class Site:
    file: str  # below the tree
    begin: int  # bytes
    end: int
    line: int
    operator: str
    after: str  # what stands there instead
    constexpr: bool = False
    # The expressions that have another value then: [begin, end] of each, and what stands there instead.
    # Of a statement, itself and nothing.
    parts: tuple = ()

    def apply(self, text: bytes) -> bytes:
        return text[:self.begin] + self.after.encode() + text[self.end:]

    def told(self, text: bytes) -> str:
        before = text[self.begin:self.end].decode(errors="replace")
        return f"{self.file}:{self.line} {self.operator}: {_short(before)} -> {_short(self.after) or 'nothing'}"


def _is_written(parameter):
    kind = parameter.type.get_canonical()
    return kind.kind == TypeKind.LVALUEREFERENCE and not kind.get_pointee().is_const_qualified()


def _short(text):
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."


class Finder:
    """Of one source at a time. `arguments` are the compiler's."""

    def __init__(self):
        if not cindex.Config.loaded:
            cindex.Config.set_library_file(LIBRARY)
        self._index = cindex.Index.create()

    def find(self, root, file, arguments):
        path = str(root / file)
        unit = self._index.parse(path, args=arguments)
        faults = [each for each in unit.diagnostics if each.severity >= cindex.Diagnostic.Error]
        if faults:
            raise RuntimeError(f"{file}: {faults[0].spelling} (line {faults[0].location.line})")
        self._file, self._path, self._sites = file, path, set()
        self._text = (root / file).read_bytes()
        for child in unit.cursor.get_children():
            if self._is_here(child):
                self._walk(child, None, False)
        return sorted(self._sites)

    def _is_here(self, cursor):
        return cursor.location.file is not None and cursor.location.file.name == self._path

    def _walk(self, cursor, parent, compiled):
        if cursor.kind in COMPILERS_OWN:
            return
        if cursor.kind in (CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD, CursorKind.VAR_DECL, CursorKind.CONSTRUCTOR,
                           CursorKind.FUNCTION_TEMPLATE):
            compiled = self._says_constexpr(cursor)
        self._look(cursor, parent, compiled)
        for child in cursor.get_children():
            if self._is_here(child) or child.location.file is None:
                self._walk(child, cursor, compiled)

    def _says_constexpr(self, cursor):
        head = self._text[cursor.extent.start.offset:cursor.extent.start.offset + 200]
        return b"constexpr" in head.split(b"(")[0] or b"consteval" in head.split(b"(")[0]

    def _look(self, cursor, parent, compiled):
        kind = cursor.kind
        if kind == CursorKind.BINARY_OPERATOR and cursor.binary_operator in COMPARISONS:
            self._comparison(cursor, compiled)
        elif kind == CursorKind.INTEGER_LITERAL:
            self._constant(cursor, compiled)
        elif kind in (CursorKind.IF_STMT, CursorKind.WHILE_STMT, CursorKind.CONDITIONAL_OPERATOR, CursorKind.FOR_STMT):
            self._condition(cursor, compiled)
        if kind in STATEMENTS and parent is not None and parent.kind == CursorKind.COMPOUND_STMT:
            self._statement(cursor, compiled)
        if kind == CursorKind.CALL_EXPR and cursor.spelling in OF_TEXT:
            self._comparison(cursor, compiled)
        elif kind == CursorKind.CALL_EXPR and not cursor.spelling.startswith("operator"):
            self._arguments(cursor, compiled)

    def _add(self, begin, end, operator, after, line, compiled, parts=None):
        if begin < end:
            parts = tuple(map(tuple, parts or [(begin, end, after)]))
            self._sites.add(Site(self._file, begin, end, line, operator, after, compiled, parts))

    def _comparison(self, cursor, compiled):
        which = cursor.binary_operator if cursor.kind == CursorKind.BINARY_OPERATOR else OF_TEXT[cursor.spelling]
        children = list(cursor.get_children())
        if len(children) < 2:
            return
        left, right = children[0], children[-1]
        between = self._text[left.extent.end.offset:right.extent.start.offset]
        wanted = SPELLING[which].encode()
        at = between.find(wanted)
        if between.strip() != wanted:
            return
        begin, line = left.extent.end.offset + at, cursor.extent.start.line
        end, first, last = begin + len(wanted), left.extent.start.offset, right.extent.end.offset
        for operator, table in (("comparison", COMPARISONS), ("boundary", BOUNDARIES)):
            if which in table:
                after = table[which].encode()
                whole = (self._text[first:begin] + after + self._text[end:last]).decode()
                self._add(begin, end, operator, table[which], line, compiled, [(first, last, whole)])

    def _constant(self, cursor, compiled):
        begin, end = cursor.extent.start.offset, cursor.extent.end.offset
        text = self._text[begin:end].decode()
        digits = text.rstrip("uUlLzZ")
        try:
            value = int(digits.replace("'", ""), 0) if not digits.startswith("0") or len(digits) < 2 or digits[1] in "xXbB" else None
        except ValueError:
            value = None
        if value is not None:
            self._add(begin, end, "constant", f"{value + 1}{text[len(digits):]}", cursor.extent.start.line, compiled)

    def _condition(self, cursor, compiled):
        """The first expression; a declaration in an `if` is left alone, and so is what is an `if constexpr`."""
        children = list(cursor.get_children())
        head = self._text[cursor.extent.start.offset:children[0].extent.start.offset] if children else b""
        if not children or b"constexpr" in head:
            return
        if cursor.kind == CursorKind.FOR_STMT:
            children = [child for child in children if child.kind.is_expression() and child.type.kind == TypeKind.BOOL][:1]
        if not children or not children[0].kind.is_expression():
            return
        begin, end = children[0].extent.start.offset, children[0].extent.end.offset
        text = self._text[begin:end].decode()
        self._add(begin, end, "condition", f"!({text})", children[0].extent.start.line, compiled)

    def _statement(self, cursor, compiled):
        begin, end = cursor.extent.start.offset, cursor.extent.end.offset
        if self._text[end:end + 1] == b";":
            self._add(begin, end, "statement", "", cursor.extent.start.line, compiled)

    def _arguments(self, cursor, compiled):
        if COMMUTES.match(cursor.spelling):
            return
        arguments = [each for each in cursor.get_arguments() if each is not None and self._is_here(each)]
        written = [_is_written(each) for each in cursor.referenced.get_arguments()] if cursor.referenced else []
        written += [False] * (len(arguments) - len(written))
        for (one, is_out), (other, is_other_out) in itertools.pairwise(zip(arguments, written)):
            same = (one.type.get_canonical().spelling == other.type.get_canonical().spelling and is_out == is_other_out)
            begin, middle, after, end = (one.extent.start.offset, one.extent.end.offset, other.extent.start.offset,
                                         other.extent.end.offset)
            first, second = self._text[begin:middle].decode(), self._text[after:end].decode()
            if same and middle <= after and first and second and first != second:
                between = self._text[middle:after].decode()
                self._add(begin, end, "arguments", second + between + first, one.extent.start.line, compiled,
                          [(begin, middle, second), (after, end, first)])
