#!/usr/bin/env python3
"""Holds the whole server process to what a review over loopback costs it.

bench/process.py build/bench/server/tpu-webhook build/bench/bench/print_payload [--update]

Per review of one kept TLS connection, once all that grows has grown: instructions (callgrind, within 3 % of
process.txt), allocations (calls of malloc and its kin, no more than there), system calls of the event loop for the
connection and the log (strace, exact but for reads) and page faults (none). Each is the difference of two counts,
which leaves out the start of the program and the handshake. `usual` is the recorded Pod of a JobSet, `long` the same with annotations up
to 44 KB, for which no release is compiled. OpenSSL allocates seven times a review and twice a further record: it
gives its buffers back so that an idle connection is small. The others are frames of coroutines.

The table is of the preset "bench" with the compiler and libraries of Debian 12, on a processor with AVX2. Exits 77
where valgrind or strace is not installed.
"""

import argparse
import collections
import contextlib
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time

from servers import free_port, make_certificate

TABLE = pathlib.Path(__file__).with_name("process.txt")
TOLERANCE = 0.03
WARM, FEW, MANY = 50, 100, 600      # reviews under valgrind, which is 50 times as slow
TRACED = FAULTED = 2000
AT_ONCE = 8  # connections, where page faults are counted
WINDOWS = 5  # the first of so many that is without page faults is enough: how many bodies are in memory at once varies
SKIPPED = 77
# What belongs to a review; whatever else an event loop does, a timer does.
CALLS = ("recvfrom", "recvmsg", "write", "writev", "sendto", "sendmsg")
ALLOCATORS = ("malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign")


def payloads(program):
    return {name: subprocess.run([program, payload], check=True, capture_output=True).stdout
            for name, payload in {"usual": "jobset", "long": "long"}.items()}


class Server:
    """The program behind `tool`, with one event loop."""

    def __init__(self, program, folder, *tool):
        self.port = free_port()
        command = [*tool, program, "serve", "--listen", f"127.0.0.1:{self.port}", "--health-listen", "",
                   "--metrics-listen", "", "--threads", "1", "--drain-delay", "0s", "--tls-cert",
                   folder / "cert.pem", "--tls-key", folder / "key.pem"]
        self.said = open(folder / "said", "w+")
        self.process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=self.said)

    def connect(self):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        until = time.monotonic() + 60
        while True:
            try:
                plain = socket.create_connection(("127.0.0.1", self.port), 60)
                plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return context.wrap_socket(plain)
            except OSError:
                assert time.monotonic() < until and self.process.poll() is None, self.end()
                time.sleep(0.05)

    def end(self):
        """What was said on standard error."""
        self.process.terminate()
        self.process.wait(60)
        self.said.seek(0)
        return self.said.read()


def ask(connection, body, times):
    ask_all([connection], body, times)


def ask_all(connections, body, times):
    """So many reviews on each, at the same time."""
    request = (b"POST /mutate?timeout=10s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
               b"Content-Length: %d\r\n\r\n" % len(body)) + body
    for _ in range(times):
        for connection in connections:
            connection.sendall(request)
        for connection in connections:
            read_answer(connection)


def read_answer(connection):
    answer = b""
    while b"\r\n\r\n" not in answer or len(answer) - answer.index(b"\r\n\r\n") - 4 < length(answer):
        answer += connection.recv(65536)
    assert answer.startswith(b"HTTP/1.1 200 ") and b"close" not in answer.split(b"\r\n\r\n")[0], answer[:300]


def length(answer):
    return int(re.search(rb"Content-Length: (\d+)", answer)[1])


def of_callgrind(program, folder, body, times):
    """(instructions, allocations) of so many reviews and the start."""
    out = folder / "out"
    server = Server(program, folder, "valgrind", "--tool=callgrind", f"--callgrind-out-file={out}")
    with server.connect() as connection:
        ask(connection, body, WARM + times)
    instructions = int(re.search(r"Collected : (\d+)", server.end())[1])
    names, called, allocations = {}, "", 0
    for line in out.read_text().splitlines():
        if match := re.match(r"c?fn=\((\d+)\)(?: (.*))?", line):
            names.setdefault(match[1], match[2])
            called = names[match[1]]
        elif line.startswith("calls=") and called in ALLOCATORS:
            allocations += int(line[6:].split()[0])
    return instructions, allocations


def system_calls(program, folder, body):
    """{name: of one review}. Read before the server ends, since its end makes some."""
    trace = folder / "trace"
    trace.unlink(missing_ok=True)
    server = Server(program, folder, "strace", "-D", "-f", "-qq", "--output", trace, f"--trace={','.join(CALLS)}")
    with server.connect() as connection:
        ask(connection, body, WARM)
        time.sleep(0.3)  # lines of the trace, and of the log
        before = counted(trace)
        ask(connection, body, TRACED)
        time.sleep(0.3)
        after = counted(trace)
    server.end()
    return {name: (after[name] - before[name]) / TRACED for name in sorted(after) if after[name] - before[name] > 10}


def counted(trace):
    return collections.Counter(re.findall(r"^\d+ +(\w+)\(", trace.read_text(errors="replace"), re.M))


def page_faults(program, folder, body):
    server = Server(program, folder)
    with contextlib.ExitStack() as open_ones:
        connections = [open_ones.enter_context(server.connect()) for _ in range(AT_ONCE)]
        ask_all(connections, body, FAULTED // AT_ONCE)
        least = FAULTED
        for _ in range(WINDOWS):
            before = minor_faults(server.process.pid)
            ask_all(connections, body, FAULTED // AT_ONCE)
            least = min(least, minor_faults(server.process.pid) - before)
            if least == 0:
                break
    server.end()
    return least / FAULTED


def minor_faults(pid):
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[7])


def measure(program, given, folder):
    """{(payload, what): a review's}"""
    found = {}
    for name, body in payloads(given.print_payload).items():
        few, many = (of_callgrind(program, folder, body, times) for times in (FEW, MANY))
        found[name, "instructions"], found[name, "allocations"] = (
            (more - less) / (MANY - FEW) for less, more in zip(few, many))
        found[name, "page faults"] = page_faults(program, folder, body)
        for call, count in system_calls(program, folder, body).items():
            found[name, call] = count
    return found


def recorded():
    rows = (re.split(r"\s{2,}", line.strip()) for line in TABLE.read_text().splitlines() if line[:1] not in ("#", ""))
    return {(payload, what): float(count.replace(",", "")) for payload, what, count in rows}


def faults(found, wanted):
    for key in sorted(found.keys() | wanted.keys()):
        is_, was = found.get(key, 0.0), wanted.get(key, 0.0)
        # Timers allocate, too, and a review that arrives in pieces takes one more read now and then.
        most = {"instructions": TOLERANCE * was, "allocations": 0.5, "recvfrom": 0.3}.get(key[1], 0.005)
        if abs(is_ - was) > most:
            yield f"{key[0]}: {is_:,.3f} {key[1]} a review, wanted {was:,.3f} (± {most:,.3f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("print_payload", type=pathlib.Path)
    parser.add_argument("--update", action="store_true", help="write what is measured into process.txt")
    given = parser.parse_args()
    if not (shutil.which("valgrind") and shutil.which("strace")):
        print("valgrind or strace is not installed")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_certificate(folder)
        found = measure(given.program, given, folder)
    lines = [f"{payload:8}{what:16}{count:>12,.{0 if what == 'instructions' else 3}f}"
             for (payload, what), count in found.items()]
    print("\n".join(lines))
    if given.update:
        TABLE.write_text("# What a review costs the whole server process: bench/process.py … --update\n"
                         + "\n".join(lines) + "\n")
        return
    wrong = list(faults(found, recorded()))
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
