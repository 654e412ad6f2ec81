#!/usr/bin/env python3
"""The defences of docs/assurance.md, how each is taken out, and the test that fails without it.

  tests/mutants/threats.py      prints them. Exit code: 1 where the sources no longer have one, so that it could not be
                                taken out

defences.py takes them out.
"""

import dataclasses
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "mutants" / "tree" / "build" / "ci"  # of mutants/run.py
GTEST, PROGRAM = BUILD / "tests", BUILD / "server" / "tpu-webhook"
PROBE = GTEST / "server" / "kube" / "kube_probe"


@dataclasses.dataclass(frozen=True)
class Test:
    command: tuple
    programs: tuple  # what it runs of the build


@dataclasses.dataclass
class Defence:
    threat: int
    what: str
    file: str
    before: str
    after: str
    test: Test
    e2e: bool = False

    def is_there(self):
        return self.before in (ROOT / self.file).read_text()


def server(name):
    return Test((sys.executable, "-B", "tests/server/run.py", PROGRAM, f"={name}"), (PROGRAM,))


def kube(name):
    return Test((sys.executable, "-B", "tests/server/kube/run.py", PROBE, PROGRAM, f"={name}"), (PROBE, PROGRAM))


def unit(program, name):
    return Test((GTEST / program, f"--gtest_filter={name}"), (GTEST / program,))


def chart(name):
    return Test((sys.executable, "tests/charts/chart.py", "--program", PROGRAM, f"Chart.{name}"), (PROGRAM,))


def story(name):
    file, _, case = name.partition("::")
    return Test(("tests/e2e/run", "--program", PROGRAM, file, "-k", case), (PROGRAM, PROGRAM.with_name("kubectl-tpu")))


DEFENCES = [
    Defence(1, "who keeps us waiting makes room", "server/serve/https/connections.cpp",
            "  const std::size_t count = std::min(most, (late.size() + shed_part - 1) / shed_part);\n", "  const std::size_t count = 0;\n",
            server("limits.honest_calls_pass_a_thousand_silent_connections")),
    Defence(2, "64 levels at most", "base/json/reader.hpp", "max_depth = 64;", "max_depth = 1u << 30;",
            unit("unit/webhook_test", "*Json*")),
    Defence(3, "what no value may be", "charts/tpu-webhook/values.schema.json", '"additionalProperties": false,', "",
            chart("test_refused")),
    Defence(4, "two configurations by name", "charts/tpu-webhook/templates/webhook-keeper.yaml", "    resourceNames: [tpu-webhook]\n", "",
            chart("test_the_keeper_alone_writes_the_certificate")),
    Defence(5, "the caller's name", "server/tls/clients.cpp", "if (has_name(X509_STORE_CTX_get0_cert(context), names_)) return true;",
            "return true;", server("client_certificates.only_who_shows_a_certificate_of_the_ca_with_the_name_is_answered")),
    Defence(5, "the caller's CA", "server/tls/clients.cpp", "if (X509_verify_cert(context) != 1) return false;", "",
            server("client_certificates.only_who_shows_a_certificate_of_the_ca_with_the_name_is_answered")),
    # Three settings refuse the older versions; each is enough.
    Defence(7, "TLS 1.2 or later", "server/tls/context.cpp",
            'require(SSL_CTX_set_cipher_list(context, tls12_ciphers) == 1, "TLS ciphers");',
            'SSL_CTX_set_security_level(context, 0); SSL_CTX_set_min_proto_version(context, TLS1_VERSION);\n'
            '  SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0");', server("limits.tls_1_2_and_1_3_alone_with_our_settings")),
    Defence(8, "our Service's name alone", "kubectl/x509/issuing.cpp", "NID_subject_alt_name, alternative_names(names));",
            'NID_subject_alt_name, "DNS:*.svc," + alternative_names(names));', unit("unit/tools_test", "*Issu*")),
    Defence(10, "a field that nobody may have", "webhook/write/surface.cpp", '"/spec/subdomain"', '"/spec/serviceAccountName"',
            unit("unit/webhook_test", "SurfaceTable.what_is_never_in_it")),
    Defence(10, "text stays text", "webhook/write/json.cpp", """    if (c == '"' || c == '\\\\') {
      out_.add('\\\\', text[clean]);""", """    if (c == '"' || c == '\\\\') {
      out_.add(text[clean]);""", unit("golden/hostile_test", "*")),
    Defence(11, "our own namespace is exempt", "charts/tpu-webhook/templates/_webhook.tpl",
            '"kube-node-lease" .Release.Namespace)', '"kube-node-lease")',
            story("test_api_server.py::test_excluded_namespaces"), e2e=True),
    Defence(12, "init containers are looked at", "charts/tpu-webhook/templates/_program.tpl",
            "[{{ . }}.containers != null ? {{ . }}.containers : [],\n has({{ . }}.initContainers) ? {{ . }}.initContainers : []]",
            "[{{ . }}.containers != null ? {{ . }}.containers : []]",
            story("test_api_server.py::test_the_match_conditions"), e2e=True),
    Defence(13, "a whole quantity", "base/quantity.hpp", "if (known.text == suffix) return known.scale;",
            "if (suffix.starts_with(known.text)) return known.scale;", unit("fuzz/corpus_test", "*")),
    Defence(14, "fields that nobody knows", "webhook/write/surface.cpp", '"/metadata/labels/replicaIndex"',
            '"/metadata/labels/unknown"', unit("golden/golden_test", "*")),
    Defence(15, "restricted", "charts/tpu-webhook/templates/deployment.yaml", "        runAsNonRoot: true\n", "", chart("test_golden")),
    Defence(18, "the API server alone", "server/cli/run.cpp", "  try {\n",
            '  if (argc > 3) {\n    addrinfo* found = nullptr;\n    ::getaddrinfo("example.com", "443", nullptr, &found);\n  }\n  try {\n',
            kube("alone.speaks_to_nobody_but_its_api_server")),
]


def main():
    for each in DEFENCES:
        print(f"{each.threat:2}  {each.what}: {each.file}" + ("" if each.is_there() else f"\nno {each.before!r} is in it"))
    return 0 if all(each.is_there() for each in DEFENCES) else 1


if __name__ == "__main__":
    sys.exit(main())
