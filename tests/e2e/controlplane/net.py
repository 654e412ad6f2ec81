"""Free ports on 127.0.0.1, and loopback addresses of which port 443 is ours."""

import random
import socket
import subprocess


def free_ports(count: int) -> list:
    """Ports nobody listens on now. They are all held until all are chosen, so none repeats."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def loopback_addresses(names: list) -> dict:
    """One address of 127.0.0.0/8 per name, all in one /24 whose port 443 is free.

    The API server dials a webhook's Service at port 443; with one address each, every webhook
    has it, and several control planes can stand side by side.
    """
    for _ in range(100):
        prefix = f"127.{random.randint(1, 254)}.{random.randint(0, 254)}"
        chosen = {name: f"{prefix}.{number}" for number, name in enumerate(names, start=1)}
        if all(_free(address) for address in chosen.values()):
            return chosen
    raise RuntimeError("no loopback network with port 443 free")


def own_addresses(names: list) -> dict:
    """One address per name that is no loopback address, in a world of our own: they are added to its loopback device."""
    chosen = {name: f"10.244.255.{number}" for number, name in enumerate(names, start=1)}
    for address in chosen.values():
        subprocess.run(["ip", "address", "replace", f"{address}/32", "dev", "lo"], check=True)
    return chosen


def _free(address: str) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind((address, 443))
        except PermissionError as error:
            raise RuntimeError(
                f"cannot listen on {address}:443: run as root, or set net.ipv4.ip_unprivileged_port_start=443"
            ) from error
        except OSError:
            return False
        return True


def answers(address: str, port: int) -> bool:
    """Does something accept connections there?"""
    try:
        with socket.create_connection((address, port), timeout=1):
            return True
    except OSError:
        return False
