"""Writes the files of charts/tpu-webhook that are made from the program, or says how they differ.

    python3 tests/charts/generate.py --program build/ci/server/kubectl-tpu [--check]

* templates/_program.tpl: parts of the conditions of the webhook's entries and the objects that are checked (`rules --entries`), and the
  defaults that other objects depend on (`config schema`);
* `config` in values.schema.json: `config schema`, without what the chart itself sets.
"""

import argparse
import difflib
import json
import pathlib
import subprocess
import sys

CHART = pathlib.Path(__file__).resolve().parents[2] / "charts" / "tpu-webhook"
TEMPLATE, SCHEMA = CHART / "templates" / "_program.tpl", CHART / "values.schema.json"

# Set by the chart, from other values, or of no use in a Pod.
DERIVED = ("listen", "healthListen", "metricsListen", "healthMetrics", "tls", "cluster", "$schema")
PREFIX = "prefix.placeholder"  # stands for the value in what the program prints
HEADER = """{{/* Made from the program; do not edit, and do not translate by hand:
       python3 tests/charts/generate.py --program build/ci/server/kubectl-tpu

     asksForTpu, hasClaims and annotated are what makes a Pod concern the webhook, selectsGpus what does not;
     the argument of all but annotated is where its specification is. is.NAME: the workload table names
     this one, and none before it. */}}
"""


def made(program: str) -> dict:
    """File -> what it must hold."""
    entries = _json(program, "rules", "--entries", "--output=json", f"--annotation-prefix={PREFIX}")
    settings = _json(program, "config", "schema")
    return {TEMPLATE: _template(entries, settings["properties"]), SCHEMA: _schema(settings)}


def _template(entries: dict, settings: dict) -> str:
    text = HEADER
    for name in ("asksForTpu", "hasClaims", "selectsGpus"):
        text += _define(name, entries[name].replace("object.spec", "{{ . }}"))
    text += _define("annotated", entries["annotated"].replace(PREFIX, '{{ include "tpu-webhook.annotationPrefix" . }}'))
    for each in entries["workloads"]:
        text += _define(f"is.{each['workload']}", each["ofWorkload"])
    about = [f"annotationPrefix: {settings['annotationPrefix']['default']}", "drain:"]
    about += [f"  {key}: {value['default']}" for key, value in settings["drain"]["properties"].items()]
    about += ["workloads:"]
    for each in entries["workloads"]:
        about += [f"  - name: {each['workload']}", f"    entry: {each['entry']}"]
        about += [f"    key: {each['labelKey']}"] if each["labelKey"] else []
    about += ["objects:"]
    for each in entries["objects"]:
        about += [f"  - workload: {each['workload']}", f"    group: {each['group']}"]
        about += [f"    {key}: [{', '.join(each[key])}]" for key in ("versions", "resources")]
    return text + _define("program", "\n".join(about))


def _define(name: str, text: str) -> str:
    return f'\n{{{{- define "tpu-webhook.{name}" -}}}}\n{text}\n{{{{- end }}}}\n'


def _schema(settings: dict) -> str:
    """Drafts 7 alike; what may be null in a file, a value that Helm takes away, may be so here, too."""
    values = json.loads(SCHEMA.read_text(encoding="utf-8"))
    config = {"description": "The program's settings, as in `kubectl tpu config schema`, without those that the chart sets.",
              "type": "object", "additionalProperties": False,
              "properties": {key: value for key, value in settings["properties"].items() if key not in DERIVED}}
    values["properties"]["config"] = config
    return json.dumps(values, indent=2, ensure_ascii=False) + "\n"


def _json(program: str, *arguments: str) -> dict:
    return json.loads(subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 where a file differs")
    options = parser.parse_args()
    differ = 0
    for file, text in made(options.program).items():
        before = file.read_text(encoding="utf-8") if file.exists() else ""
        if options.check:
            lines = list(difflib.unified_diff(before.splitlines(), text.splitlines(), file.name, "as the program says", lineterm=""))
            print("\n".join(lines), end="\n" if lines else "")
            differ |= bool(lines)
        else:
            file.write_text(text, encoding="utf-8")
    return differ


if __name__ == "__main__":
    sys.exit(main())
