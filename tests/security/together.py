"""Everything at once, and how large the server is when it is over."""

import os
import time

import honest
from checks import check
from memory import Resident, allowed, almost_whole, in_mib, kept, small, unread
from siege import Siege
from slots import ELSEWHERE, MANY, REOPENED

LONG = os.environ.get("TPUWH_LONG") == "1"


def together(seconds, after):
    """The attacks of loops, slots and memory for so long, and its size so long after them."""
    with Siege() as siege, Resident(siege.program.process.pid) as resident:
        folder, most = siege.program.folder, allowed(siege.program)
        for reviews in (kept(folder, at_once=8), small(folder), unread(folder, 100)):
            siege.attack(*endless(reviews))
        siege.attack(*almost_whole(folder, 200)[:-2], "--reopen", REOPENED)
        siege.attack("slow-bodies", "--connections", MANY, "--reopen", REOPENED, "--trickle",
                     *ELSEWHERE)
        siege.attack("key-updates", "--connections", 8)
        siege.attack("pipeline", "--connections", 4)
        seen, _ = siege.end(seconds)
        time.sleep(after)
        size, _ = resident.now()
    print(f"       peak {in_mib(resident.peak)}, {after:.0f} s later {in_mib(size)}", flush=True)
    # How fast the honest are answered is each attack's own check: here all attackers share one core
    # with them.
    assert not honest.faults(seen, slowest={}), "\n".join(honest.faults(seen, slowest={}))
    assert resident.peak <= most, f"peak {in_mib(resident.peak)}, allowed {in_mib(most)}"
    assert 0 < size <= most, f"{in_mib(size)} {after:.0f} s later, allowed {in_mib(most)}"


def endless(reviews):
    """The same words for the attacker, but as many as there is time for."""
    words = list(reviews)
    words[words.index("--count") + 1] = 100_000
    words[words.index("--seconds") + 1] = 600
    return words


@check
def everything_for_twenty_seconds():
    """All attacks of this folder but the forged deletions, at the same time."""
    together(20, after=10)


if LONG:
    @check
    def everything_for_two_minutes():
        """The same for two minutes, and the size five minutes later."""
        together(120, after=300)
