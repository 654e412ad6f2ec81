"""What the server refuses by a rule of its own, and where a reference is the one that errs.

A refusal is one of these, told by its status and sentence. Where references accept what it refuses,
the rule is why.
"""

import re

# name, status, sentence, why it may be refused
STRICTER = [
    ("grammar", 400, r"not an HTTP/1\.1 request: .*", "RFC 9112 2.2, 3, 5, 6, 7.1: lines, names, values, chunks"),
    ("folded", 400, r"header field continued on a new line", "RFC 9112 5.2: MUST reject or replace"),
    ("folded_trailer", 400, r"trailer field continued on a new line", "RFC 9112 5.2: MUST reject or replace"),
    ("length", 400, r"Content-Length must be given once and be one number", "RFC 9112 6.3: unrecoverable; a list MAY be"),
    ("coding", 501, r"Transfer-Encoding \".*\"; only \"chunked\" is supported", "RFC 9112 6.1: SHOULD respond with 501"),
    ("coding_twice", 400, r"Transfer-Encoding given more than once", "RFC 9112 6.3: chunked MUST be the last and once"),
    ("coding_in_1_0", 400, r"Transfer-Encoding in HTTP/1\.0", "RFC 9112 6.1: MUST treat as faulty framing"),
    ("host", 400, r"(malformed Host: \".*\"|Host given more than once|no Host)", "RFC 9112 3.2: MUST respond with 400"),
    ("version", 505, r"HTTP/\d\.\d is not supported; expected HTTP/1\.1", "RFC 9110 15.6.6"),
    ("target", 400, r"malformed target: \".*\"", "RFC 9112 3.2, RFC 3986 2: none of a URI's characters"),
    ("type", 400, r"Content-Type given more than once", "RFC 9110 8.3: not a list, and readers take either"),
    ("fields", 431, r"(header larger than \d+ bytes|more than \d+ header fields)", "RFC 6585 5"),
    ("body", 413, r"body larger than \d+ bytes", "RFC 9110 15.5.14"),
    ("chunk_line", 400, r"the size line of a chunk is too long", "RFC 9112 7.1.1: ought to limit chunk extensions"),
]

# reader, what it says, why it is the stricter one and we need not be
LAXER = [
    ("h11", r"illegal request line: .*", "target: a byte outside RFC 3986 changes no end"),
    ("h11", r"no request line received", "RFC 9112 2.2: one empty line before a request line SHOULD be ignored"),
    ("llhttp", r"HttpParserInvalidMethodError.*", "a method that it does not know: RFC 9110 9.1 has 405 or 501"),
    ("llhttp", r"HttpParserInvalidURLError.*", "target: a byte outside RFC 3986 changes no end"),
    ("llhttp", r"upgrade", "RFC 9110 7.8: a server MAY ignore Upgrade; llhttp leaves the rest to the new protocol"),
    ("llhttp", r"HttpParserError: .*Data after `Connection: close`.*", "what is behind the last request is not read by us"),
]


def refusal(status, message, closes):
    """The rule's name, or "" where it is not refused for what the protocol says. An answer to HEAD has no
    sentence."""
    if not message and closes and status in (400, 413, 431, 501, 505):
        return "no sentence"
    return next((name for name, code, sentence, _ in STRICTER if code == status and re.fullmatch(sentence, message)), "")


def laxer(reader, says):
    return any(who == reader and re.fullmatch(what, says) for who, what, _ in LAXER)
