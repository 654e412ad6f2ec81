"""How fast something happened, from the times at which it did."""


def busiest_second(times: list) -> int:
    """The most requests that came within a second."""
    first, most = 0, 0
    for last, at in enumerate(times):
        while at - times[first] > 1.0:
            first += 1
        most = max(most, last - first + 1)
    return most
