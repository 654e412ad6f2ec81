#!/usr/bin/env python3
"""generator_refuses.py GENERATOR CATALOG: it takes the catalog, and stops at data that it does not understand: the same
catalog with one fault at a time, each with the sentence that names it."""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile

TWIN = "topologies_same_as"


def faults(catalog):
    """Yields pairs of a faulty catalog and a part of the message by which the generator must refuse it."""
    def changed(sentence, change):
        other = copy.deepcopy(catalog)
        change(other)
        return other, sentence

    def having(find):
        return next(i for i, generation in enumerate(catalog["generations"]) if find(generation))

    cubic = having(lambda generation: "custom_topology_rule" in generation)
    twins = having(lambda generation: any(TWIN in machine for machine in generation["machine_types"]))
    twin = next(i for i, machine in enumerate(catalog["generations"][twins]["machine_types"]) if TWIN in machine)

    def topology(value):
        return value["generations"][cubic]["machine_types"][0]["topologies"][0]

    def allowed(value):
        return value["generations"][cubic]["custom_topology_rule"]["small_slices"]["allowed"]

    yield changed('the file: has no "schema_version"', lambda value: value.pop("schema_version"))
    yield changed("generations[0].wrap_rule: is not a known wrap rule: true on every prime axis",
                  lambda value: value["generations"][0].update(wrap_rule="true on every prime axis"))
    yield changed(f"generations[{twins}].machine_types[{twin}].{TWIN}: is not a machine type of this generation",
                  lambda value: value["generations"][twins]["machine_types"][twin].update({TWIN: "none"}))
    # The rule is removed as well, because otherwise the generator would refuse the rule first.
    yield changed("topologies[0].topology: does not have the dimensions of its generation",
                  lambda value: (value["generations"][cubic].pop("custom_topology_rule"), topology(value).update(topology="2x2")))
    yield changed(f"small_slices.allowed[{len(allowed(catalog))}]: is not a row of any machine type",
                  lambda value: allowed(value).append("3x3x3"))
    yield changed('source[0]: is not an id in "sources"', lambda value: topology(value).update(source=["hearsay"]))


def said_of(catalog, folder):
    """Returns the generator's message, or "" if it accepts the catalog."""
    file = folder / "catalog.json"
    file.write_text(json.dumps(catalog))
    done = subprocess.run([sys.executable, sys.argv[1], file, folder / "rows.hpp"], capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def main():
    catalog = json.loads(pathlib.Path(sys.argv[2]).read_text())
    with tempfile.TemporaryDirectory() as name:
        for changed, sentence in [(catalog, ""), *faults(catalog)]:
            said = said_of(changed, pathlib.Path(name))
            if sentence not in said or (not sentence and said):
                sys.exit(f"expected {sentence!r}, got {said!r}")


if __name__ == "__main__":
    main()
