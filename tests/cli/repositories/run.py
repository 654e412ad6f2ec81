#!/usr/bin/env python3
"""What `explain` says of reduced manifests of eight public repositories: run.py PROGRAM [-k PART].

files.tsv has every file that names google.com/tpu, and what was expected of it. mirror.py runs the real files.
"""

import collections
import unittest

from shapes import template  # first: it makes reports.py importable, which takes PROGRAM from the command line
from reports import PROGRAM, V6E, container, named
from table import agrees, explained, lines, read_table, text_of, verdict

TABLE = read_table()
MANIFESTS = [row for row in TABLE.rows if row.is_manifest]


class Shapes(unittest.TestCase):
    def test_each_gives_what_its_files_are_expected_to_give(self):
        wanted = collections.defaultdict(list)
        for row in MANIFESTS:
            wanted[row.shape, row.expected].append(row)
        for (shape, expected), rows in wanted.items():
            with self.subTest(shape, file=rows[0].label):
                got = verdict(PROGRAM, text_of(shape))
                self.assertTrue(agrees(expected, got), f"expected {expected}\ngot {got}")

    def test_of_a_template_the_error_says_so(self):
        for shape, part in (("unrendered()", "is it a template that was not rendered?"),
                            ("names_in_braces()", "is {NAME} a placeholder that was not filled in?"),
                            ("values_of_a_chart()", "has no kind")):
            self.assertIn(part, explained(PROGRAM, text_of(shape)).stderr)


class Selectors(unittest.TestCase):
    """A Deployment or a StatefulSet without a selector of its template's labels is refused by the API server."""

    def said(self, kind, selector, labels=(("app", "a"), ("tier", "b"))):
        pod_template = template(V6E, "2x2", container())
        pod_template["metadata"]["labels"] = dict(labels)
        spec = {"serviceName": "serve", "selector": selector, "template": pod_template}
        return explained(PROGRAM, lines([named(kind, "serve", spec)])).stdout

    def test_that_match(self):
        for selector in ({"matchLabels": {"app": "a"}},
                         {"matchLabels": {"app": "a", "tier": "b"}},
                         {"matchExpressions": [{"key": "app", "operator": "In", "values": ["b", "a"]}]},
                         {"matchExpressions": [{"values": ["b"], "operator": "NotIn", "key": "app"}]},
                         {"matchExpressions": [{"key": "app", "operator": "Exists"}]},
                         {"matchExpressions": [{"key": "role", "operator": "DoesNotExist"}]}):
            for kind in ("Deployment", "StatefulSet"):
                self.assertNotIn("selector", self.said(kind, selector), selector)

    def test_that_do_not(self):
        for selector in ({"matchLabels": {"app": "b"}},
                         {"matchLabels": {"app": "a", "role": "c"}},
                         {"matchExpressions": [{"key": "app", "operator": "In", "values": ["b"]}]},
                         {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["a"]}]},
                         {"matchExpressions": [{"key": "role", "operator": "Exists"}]},
                         {"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]}):
            for kind in ("Deployment", "StatefulSet"):
                self.assertIn("TPU-412: selector does not match the labels of the template", self.said(kind, selector), selector)

    def test_that_are_missing(self):
        for kind in ("Deployment", "StatefulSet"):
            for selector, found in ((None, "missing"), ({}, "empty"), ({"matchLabels": {}}, "empty")):
                self.assertIn(f"TPU-412: selector is {found}, and a {kind} needs one that matches the labels of its template",
                              self.said(kind, selector))


class Rows(unittest.TestCase):
    def test_each_manifest_has_a_shape_and_nothing_else_has(self):
        for row in TABLE.rows:
            self.assertEqual(bool(row.shape), row.is_manifest, row.label)

    def test_each_is_of_a_repository_at_a_commit(self):
        self.assertEqual({row.repository for row in TABLE.rows}, set(TABLE.repositories))
        for _, commit in TABLE.repositories.values():
            self.assertRegex(commit, "^[0-9a-f]{40}$")

    def test_none_stands_twice(self):
        labels = [row.label for row in TABLE.rows]
        self.assertEqual(sorted(set(labels)), sorted(labels))


if __name__ == "__main__":
    unittest.main(verbosity=1)
