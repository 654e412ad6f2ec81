"""Requests of a client that means harm: seeds, and what chance makes of them."""

import random

import framing
from wire import get, post, review

# What a reader of HTTP stumbles over.
PIECES = [b"\r\n", b"\n", b"\r", b"\r\n\r\n", b"\n\n", b" ", b"\t", b"\0", b"\x0b", b"\x7f", b"\x80", b"\xff", b":",
          b": ", b" :", b",", b";", b"=", b"\"", b"\\", b"?", b"#", b"%00", b"://", b"*", b"+", b"-", b"0", b"1", b"5", b"a",
          b"0x5", b"00000005", b"18446744073709551617", b"\r\n ", b"\r\n\t", b"\r\n\r",
          b"GET ", b"HEAD ", b"POST ", b"PUT ", b"CONNECT ", b"OPTIONS ", b"get ", b"/livez", b"/mutate",
          b"HTTP/1.0", b"HTTP/1.1", b"HTTP/1.2", b"HTTP/2.0", b"HTTP/0.9", b"http/1.1",
          b"Host: localhost\r\n", b"Host:\r\n", b"Host: a, b\r\n", b"Content-Length: 5\r\n", b"Content-Length: 0\r\n",
          b"Content-Length:5 \r\n", b"Content-Length: 5, 5\r\n", b"Transfer-Encoding: chunked\r\n",
          b"Transfer-Encoding: Chunked\r\n", b"Transfer-Encoding:\tchunked \r\n", b"Transfer-Encoding: chunked, chunked\r\n",
          b"Transfer-Encoding: gzip, chunked\r\n", b"Transfer-Encoding: \"chunked\"\r\n", b"Connection: close\r\n",
          b"Connection: keep-alive\r\n", b"Connection: Upgrade\r\n", b"Upgrade: h2c\r\n", b"Expect: 100-continue\r\n",
          b"Content-Type: application/json\r\n", b"X: y\r\n", b"X : y\r\n", b"X\r\n", b": y\r\n", b"0\r\n\r\n", b"5\r\n",
          b"1;a=b\r\n", b"1 \r\n", b"ffffffffffffffff1\r\n", framing.SMUGGLED]


def seeds():
    """Whole requests, some with another one behind them."""
    body = b'{"uid":"x"}'
    chunked = framing.head("Transfer-Encoding: chunked\r\n")
    found = [sent for _, sent, _ in framing.DOUBTS if len(sent) < 2000]
    found += [b"GET / HTTP/1.1\r\n\rX",  # held a loop for good, until 2026-11
              get("/livez"), get("/readyz", "Connection: close\r\n"), get("/livez", version="1.0"),
              get("/livez", "Connection: keep-alive\r\n", version="1.0"),
              get("/livez").replace(b"GET", b"HEAD"), post(body), post(review("seed")), post(b""),
              post(body, target="https://localhost:8443/validate?timeout=5s"), post(body, "Connection: close\r\n"),
              post(body, "Expect: 100-continue\r\n"), post(body, "Connection: Upgrade\r\nUpgrade: h2c\r\n"),
              chunked + b"3\r\n{}\n\r\n0\r\n\r\n", chunked + b"2;a=b\r\n{}\r\n1\r\n\n\r\n00\r\nTrailer: x\r\n\r\n",
              get("/livez", "X: a\tb\r\nY:\r\nZ: \xe9\r\n"), get("*").replace(b"GET", b"OPTIONS")]
    # Those that are accepted twice: nearly all that chance does to the others is refused for what they are.
    return found + found[-16:] * 3


def _place(random_, text):
    """Where to change it: at the begin of a line more often than elsewhere."""
    if random_.random() < 0.5:
        ends = [i + 1 for i, c in enumerate(text) if c == 10]
        if ends:
            return random_.choice(ends)
    return random_.randrange(len(text) + 1)


def _line(random_, text):
    """Begin and end of one line."""
    lines = text.split(b"\n")
    which = random_.randrange(len(lines))
    begin = sum(len(line) + 1 for line in lines[:which])
    return begin, min(begin + len(lines[which]) + 1, len(text))


def _change(random_, text, all_seeds):
    at = _place(random_, text)
    what = random_.randrange(8)
    if what <= 2:
        return text[:at] + random_.choice(PIECES) + text[at:]
    if what == 3:
        return text[:at] + bytes([random_.randrange(256)]) + text[at + 1:]
    if what == 4:
        return text[:at] + text[at + random_.randint(1, 4):]
    begin, end = _line(random_, text)
    if what == 5:  # a line twice
        return text[:end] + text[begin:]
    if what == 6:  # a line less
        return text[:begin] + text[end:]
    other = random_.choice(all_seeds)
    return text[:at] + other[_place(random_, other):]


def requests(seed, count):
    """`count` texts of one or more requests, the same for the same `seed`."""
    random_ = random.Random(seed)
    all_seeds = seeds()
    for i in range(count):
        text = all_seeds[i] if i < len(all_seeds) else random_.choice(all_seeds)
        if i >= len(all_seeds):
            for _ in range(random_.choice((1, 1, 1, 1, 2, 3))):
                text = _change(random_, text, all_seeds)
        # Behind the end of a request that all readers see alike there stands one that says so.
        yield text[:20000] + (framing.SMUGGLED if random_.random() < 0.7 else b"")
