"""The part of JSON schema, draft 7, that docs/explain.schema.json uses; anything else in it is a fault."""

KNOWN = {"$schema", "$ref", "title", "description", "definitions", "type", "properties", "required",
         "additionalProperties", "items", "enum", "minimum"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int}


def of_type(value, name):
    return isinstance(value, TYPES[name]) and not (name == "integer" and isinstance(value, bool))


def faults(value, schema, root, where="$"):
    """A sentence for each place where `value` is not what `schema` says."""
    if "$ref" in schema:
        return faults(value, root["definitions"][schema["$ref"].rsplit("/", 1)[1]], root, where)
    out = [f"{where}: the schema says {key}, which is not understood" for key in schema.keys() - KNOWN]
    if "enum" in schema and value not in schema["enum"]:
        out.append(f"{where}: {value!r}, expected one of {schema['enum']}")
    if "type" in schema and not of_type(value, schema["type"]):
        return [*out, f"{where}: {value!r}, expected {schema['type']}"]
    if "minimum" in schema and value < schema["minimum"]:
        out.append(f"{where}: {value}, expected at least {schema['minimum']}")
    if isinstance(value, list):
        for index, item in enumerate(value):
            out += faults(item, schema.get("items", {}), root, f"{where}[{index}]")
    if isinstance(value, dict) and "properties" in schema:
        out += [f"{where}: {key} is missing" for key in schema.get("required", []) if key not in value]
        for key, member in value.items():
            if key in schema["properties"]:
                out += faults(member, schema["properties"][key], root, f"{where}.{key}")
            elif schema.get("additionalProperties") is False:
                out.append(f"{where}: {key} is not in the schema")
    return out
