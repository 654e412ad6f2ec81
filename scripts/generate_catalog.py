#!/usr/bin/env python3
"""A step of the build: reads tpu-catalog.json and writes the rows of topology/catalog.hpp as C++.

generate_catalog.py tpu-catalog.json catalog_rows.hpp

It copies and checks values and computes nothing: a value that the data lacks or that this program does not understand
stops the build and is named with its place in the file. tests/unit/topology compares what the rows say about bounds and
wrap with the program's own arithmetic.
"""

import json
import math
import pathlib
import re
import sys


class Wrong(Exception):
    pass


class Value:
    """A value of the file and its place in it."""

    def __init__(self, value, path=""):
        self.value, self.path = value, path

    def fail(self, why):
        raise Wrong(f"{self.path or 'the file'}: {why}")

    def has(self, key):
        return isinstance(self.value, dict) and self.value.get(key) is not None

    def __getitem__(self, key):
        if not isinstance(self.value, dict) or key not in self.value:
            self.fail(f'has no "{key}"')
        return Value(self.value[key], f"{self.path}.{key}" if self.path else key)

    def __iter__(self):
        if not isinstance(self.value, list):
            self.fail("is not an array")
        return iter([Value(value, f"{self.path}[{i}]") for i, value in enumerate(self.value)])

    def keys(self):
        if not isinstance(self.value, dict):
            self.fail("is not an object")
        return sorted(self.value)

    def text(self):
        """Refuses a text that could not be in a C++ string literal as it is."""
        if not isinstance(self.value, str):
            self.fail("is not a string")
        if not self.value:
            self.fail("is empty")
        if re.search(r'[^ -~]|["\\]', self.value):
            self.fail("has a character outside plain ASCII")
        return self.value

    def number(self):
        if type(self.value) is not int or not 0 <= self.value < 2**32:
            self.fail("is not a 32-bit whole number")
        return self.value

    def flag(self):
        if not isinstance(self.value, bool):
            self.fail("is neither true nor false")
        return self.value

    def dims(self):
        """The axes of "4x4"; topology/dims.hpp gives the reason of the largest product."""
        text = self.text()
        if not re.fullmatch(r"[1-9]\d*(x[1-9]\d*){1,2}", text):
            self.fail(f'topology "{text}" is not AxB or AxBxC in whole numbers, such as 2x4 or 2x2x2')
        axes = tuple(int(axis) for axis in text.split("x"))
        if math.prod(axes) > 1 << 20:
            self.fail(f'topology "{text}" is {math.prod(axes)} chips; the maximum is {1 << 20}')
        return axes


def literal(value):
    if isinstance(value, tuple):
        return f"Dims({', '.join(map(str, value))})"
    return f'"{value}"'


def word(flag):
    return "true" if flag else "false"


def row(**fields):
    return "{" + ", ".join(f".{name} = {value}" for name, value in fields.items()) + "}"


def lines(rows):
    return "".join(f"    {each},\n" for each in rows)


class Arrays:
    """The arrays that rows point to; equal ones (256 topologies have 28 lists of sources) are written once."""

    def __init__(self):
        self.names, self.text = {}, ""

    def add(self, kind, elements):
        """The name of an array with these elements."""
        body = f"[] = {{\n{lines(elements)}}};\n"
        if body not in self.names:
            self.names[body] = f"array_{len(self.names)}"
            self.text += f"constexpr {kind} {self.names[body]}{body}"
        return self.names[body]


class Generator:
    def __init__(self, catalog):
        self.catalog, self.arrays = catalog, Arrays()

    def header(self):
        catalog = self.catalog
        if catalog["schema_version"].number() != 1:
            catalog.fail('"schema_version" is not 1')
        generations = lines([self.generation(each) for each in catalog["generations"]])
        shapes = lines(literal(each.dims()) for each in catalog["rules"]["sub_slice_topologies"])
        announced = [row(name=literal(each["name"].text()), date=literal(each["announced"].text()))
                     for each in catalog["announced_without_gke_support"]]
        return f"""\
// Written by generate_catalog from tpu-catalog.json; do not edit.
#pragma once

#include "topology/catalog.hpp"
#include "topology/machine_size.hpp"

#include <array>
#include <string_view>

namespace tpuwh::topology::rows {{

{self.arrays.text}
constexpr Generation generations[] = {{
{generations}}};

constexpr Dims sub_slice_shapes[] = {{
{shapes}}};

constexpr MachineSize machine_sizes[] = {{
{lines(self.machine_sizes())}}};

constexpr std::array<Announced, {len(announced)}> announced{{{{
{lines(announced)}}}}};

constexpr Source sources[] = {{
{lines(self.all_sources())}}};

}}  // namespace tpuwh::topology::rows
"""

    def generation(self, value):
        axis, chips_per_vm = self.cubes(value)
        # The order of these calls decides the numbers of the arrays.
        sources, machine_types = self.sources(value), self.machine_types(value)
        dynamic_slicing, aliases = self.dynamic_slicing(value), self.aliases(value)
        return row(
            label=literal(value["gke_accelerator_label"].text()),
            id=literal(value["id"].text()),
            name=literal(value["name"].text()),
            type_prefix=literal(value["accelerator_type_prefix"].text()),
            rank=self.rank(value),
            cores_per_chip=value["cores_per_chip"].number(),
            aliases=aliases,
            wrap=self.wrap_rule(value["wrap_rule"]),
            traits=self.traits(value),
            placed_by_policy=word(value["placed_by_policy"].flag()),
            flex_start=word(value["flex_start"].flag()),
            dynamic_slicing=dynamic_slicing,
            # The file says null if no source says anything (tpu7).
            multislice=word(value.has("multislice") and value["multislice"].flag()),
            max_slice_chips=value["max_slice_chips"].number(),
            cube_axis=axis,
            cube_chips_per_vm=chips_per_vm,
            machine_types=machine_types,
            physical_chips_per_host=value["physical_chips_per_host"].number(),
            bounds_set_by_gke=word(value["bounds_env_set_by_gke"].flag()),
            status=literal(value["status"].text()),
            note=self.note(value),
            sources=sources)

    def aliases(self, generation):
        if not generation.has("aliases"):
            return "{}"
        return self.arrays.add("std::string_view", [literal(name.text()) for name in generation["aliases"]])

    def traits(self, generation):
        processes, devices = generation["processes_per_host"], generation["torch_tpu_devices_per_chip"]
        for each in (processes, devices):
            if each.number() == 0:
                each.fail("is 0")
        by = generation["single_host_ids_by"]
        if by.text() not in ("webhook", "device plugin"):
            by.fail('is neither "device plugin" nor "webhook"')
        return row(devices_per_chip=devices.number(), processes_per_host=processes.number(),
                   ids_by_webhook=word(by.text() == "webhook"),
                   process_addresses=word(generation["process_addresses"].flag()))

    def dynamic_slicing(self, generation):
        """The name of an array of one row, or null."""
        if not generation.has("dynamic_slicing"):
            return "nullptr"
        rule = generation["dynamic_slicing"]
        block, parts, slices = rule["sub_block"], rule["sub_slice"], rule["super_slice"]
        cube = block["topology"].dims()
        if cube != (cube[0],) * 3:
            block["topology"].fail("is not a cube")
        if slices["max_chips"].number() != generation["max_slice_chips"].number():
            slices["max_chips"].fail("differs from max_slice_chips")
        return self.arrays.add("DynamicSlicing", [row(
            block=literal(cube),
            nodes=block["nodes"].number(),
            machine_type=literal(block["machine_type"].text()),
            parts=self.arrays.add("Dims", [literal(shape.dims()) for shape in parts["topologies"]]),
            version_of_parts=literal(parts["min_gke_version"].text()),
            version_of_slices=literal(slices["min_gke_version"].text()),
            most_blocks=slices["max_sub_blocks_claimed"].number())])

    def rank(self, generation):
        rank = generation["dimensions"]
        if rank.number() not in (2, 3):
            rank.fail("is neither 2 nor 3")
        return rank.number()

    def wrap_rule(self, rule):
        """The rule is a sentence in the file; a new sentence needs new arithmetic."""
        text = rule.text()
        if text == "not set" or text.startswith("never "):
            return "WrapRule::never"
        if text == "true on all three axes when every dimension is at least 4, else false on all three":
            return "WrapRule::all_from_four"
        if text == "per axis: true only on an axis of length 16":
            return "WrapRule::axis_of_sixteen"
        rule.fail(f"is not a known wrap rule: {text}")

    def cubes(self, generation):
        """custom_topology_rule as (axis of a cube, chips of a VM): the large shapes. Each small shape that it allows
        also has a row, which has_row() in topology/catalog.cpp relies on."""
        if not generation.has("custom_topology_rule"):
            return 0, 0
        rule = generation["custom_topology_rule"]
        large = rule["large_slices"]
        axis = large["multiple_of"].number()
        if large["min_dimension"].number() != axis:
            large.fail("smallest axis is not a single cube")
        if not large["nondecreasing"].flag():
            large.fail("allows axes in any order")
        if large["cube"].dims() != (axis,) * 3:
            large.fail("cube is not its multiple")
        if large["max_chips"].number() != generation["max_slice_chips"].number():
            large.fail("max_chips differs from max_slice_chips")
        rows = {shape["topology"].dims() for machine in generation["machine_types"] for shape in machine["topologies"]}
        for shape in rule["small_slices"]["allowed"]:
            if shape.dims() not in rows:
                shape.fail("is not a row of any machine type")
        vms = re.fullmatch("chips / ([1-8])", rule["vms"].text())
        if not vms:
            rule["vms"].fail('is not "chips / N"')
        return axis, int(vms[1])

    def machine_types(self, generation):
        machines = sorted(generation["machine_types"], key=lambda machine: machine["chips_per_vm"].number())
        if not machines:
            generation.fail("has no machine types")
        return self.arrays.add("MachineType", [self.machine_type(generation, machine) for machine in machines])

    def machine_type(self, generation, machine):
        sources = self.sources(machine)
        return row(
            name=literal(machine["name"].text()),
            chips_per_vm=machine["chips_per_vm"].number(),
            dranet=word(machine.has("dranet") and machine["dranet"].flag()),
            topologies=self.topologies(generation, machine),
            note=self.note(machine),
            sources=sources)

    def machine_sizes(self):
        """Two generations may name one machine type, which is the same machine then."""
        rows = {}
        for generation in self.catalog["generations"]:
            for machine in generation["machine_types"]:
                name = machine["name"].text()
                rows[name] = row(name=literal(name), vcpus=machine["vcpus"].number(),
                                 memory_gb=machine["memory_gb"].number())
        return [rows[name] for name in sorted(rows)]

    def topologies(self, generation, machine):
        shapes = sorted(self.listed_topologies(generation, machine),
                        key=lambda shape: math.prod(shape["topology"].dims()))
        if not shapes:
            machine.fail("has no topologies")
        return self.arrays.add("Topology", [self.topology(shape, self.rank(generation)) for shape in shapes])

    def listed_topologies(self, generation, machine):
        """The topologies of this machine type, or of the machine type that it names as the same."""
        own = list(machine["topologies"])
        if not machine.has("topologies_same_as"):
            return own
        model = machine["topologies_same_as"]
        if own:
            model.fail("must not be given beside its own topologies")
        for other in generation["machine_types"]:
            if other["name"].text() == model.text():
                return other["topologies"]
        model.fail("is not a machine type of this generation")

    def topology(self, value, rank):
        dims = value["topology"].dims()
        if len(dims) != rank:
            value["topology"].fail("does not have the dimensions of its generation")
        texts = ("scope", "accelerator_type", "chips_per_host_bounds", "host_bounds", "wrap")
        return row(dims=literal(dims), vms=value["vms"].number(), **{key: literal(value[key].text()) for key in texts},
                   sources=self.sources(value))

    def note(self, value):
        return literal(value["note"].text() if value.has("note") else "")

    def all_sources(self):
        sources = self.catalog["sources"]
        for name in sources.keys():
            texts = {key: literal(sources[name][key].text()) for key in ("title", "where", "version")}
            yield row(id=literal(name), **texts)

    def sources(self, value):
        """Ids, each of which the file has to explain."""
        ids = list(value["source"])
        for each in ids:
            if not self.catalog["sources"].has(each.text()):
                each.fail('is not an id in "sources"')
        if not ids:
            value.fail("names no source")
        return self.arrays.add("std::string_view", [literal(each.text()) for each in ids])


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: generate_catalog.py tpu-catalog.json catalog_rows.hpp")
    try:
        catalog = Value(json.loads(pathlib.Path(sys.argv[1]).read_text("utf-8")))
        pathlib.Path(sys.argv[2]).write_text(Generator(catalog).header(), "utf-8")
    except (Wrong, OSError, ValueError) as error:
        sys.exit(f"{sys.argv[1]}: {error}")


if __name__ == "__main__":
    main()
