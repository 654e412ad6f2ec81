"""Who attacks and who is attacked: the attacker (attacker.cpp) beside a check, and the server."""

import json
import subprocess

import cores
from program import Program

ATTACKER = None   # path of the program; run.py sets it
SERVER = Program  # what is attacked; tests/image/attacks.py: the same in a container
LIMIT = 120.0     # seconds until every connection was tried, and for what is done after it


def started(*flags, **options):
    """A server to attack; a context manager."""
    return SERVER(*flags, **options)


def is_contained():
    return SERVER is not Program


class Attack:
    """`attacker NAME …` on the TLS port; a context manager that ends it."""

    def __init__(self, port, name, *flags):
        words = [ATTACKER, name, "--port", str(port), *map(str, flags)]
        self.words = " ".join(words[1:2] + words[4:])
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        cores.pin(self.process, cores.OTHERS)

    def standing(self):
        """Its counts when every connection was tried once; it goes on."""
        return self._line("standing")

    def wait(self):
        """Its counts at its end."""
        found = self._line("end")
        self.process.wait(LIMIT)
        return found

    def stop(self):
        """Ends it now; its counts."""
        self.process.terminate()
        return self.wait()

    def _line(self, event):
        for line in self.process.stdout:
            found = json.loads(line)
            if found.pop("event") == event:
                return found
        raise AssertionError(f"the attacker ended: {self.words}: {self.process.wait(5)}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait(5)
        self.process.stdout.close()


def said(counts):
    """In a line."""
    return ", ".join(f"{name} {count:,}" for name, count in counts.items() if count)
