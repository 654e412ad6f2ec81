"""The server on one core, an attacker on another, honest callers beside it, and what these saw."""

import time

import cores
import honest
from attack import Attack, said, started
from honest import Honest

SECONDS = 15


class Siege:
    """A server that is attacked; a context manager. `crowd`: so many honest connections in place of
    callers of some `kinds`. The attacks end with it."""

    def __init__(self, *flags, account=None, **honest):
        self.program = started(*flags, account=account)
        self._attacks, self._honest = [], None
        try:
            cores.pin(self.program.process, cores.SERVER)
            self._honest = Honest(self.program, **honest)
        except BaseException:
            self.__exit__()
            raise

    def attack(self, name, *flags):
        """Begins one; returns once it stands."""
        attack = Attack(self.program.port, name, "--seconds", 600, *flags)
        self._attacks.append(attack)
        print(f"     {attack.words}\n       standing: {said(attack.standing())}", flush=True)
        return attack

    def end(self, seconds=SECONDS):
        """Lets it go on; what the honest callers saw, and the counts of the attacks."""
        time.sleep(seconds)
        seen = self._honest.end()
        counts = [attack.stop() for attack in self._attacks]
        for each in counts:
            print(f"       at the end: {said(each)}", flush=True)
        print(f"       {honest.said(seen)}", flush=True)
        assert self.program.process.poll() is None, f"the server ended: {self.program.process.poll()}"
        return seen, counts

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for attack in self._attacks:
            attack.__exit__()
        if self._honest:
            self._honest.__exit__()
        self.program.__exit__()


def holds(*attack, times=1, seconds=SECONDS):
    """`times` attackers, while the honest are answered in time; their counts, summed."""
    with Siege() as siege:
        for _ in range(times):
            siege.attack(*attack)
        seen, counts = siege.end(seconds)
    assert not honest.faults(seen), "\n".join(honest.faults(seen))
    return {name: sum(each.get(name, 0) for each in counts) for name in set().union(*counts)}
