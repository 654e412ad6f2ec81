#!/usr/bin/env python3
"""bench/scheduling without a control plane: self_test.py PROGRAM"""

import json
import pathlib
import subprocess
import sys
import unittest
import xml.etree.ElementTree

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench")]

from scheduler import constraints, figures, picture, rows, variants  # noqa: E402

PROGRAM = sys.argv.pop() if len(sys.argv) > 1 else ""


def step(number, before, cpu_ms, constraint="ours", seconds=1.0):
    return figures.Step(nodes=1000, constraint=constraint, round=number, before=before, pods=100, cpu_ms=cpu_ms, seconds=seconds)


class Figures(unittest.TestCase):
    def test_a_slope_is_found(self):
        one = figures.Figures([step(0, 0, 500), step(0, 100, 600), step(0, 200, 700)])
        self.assertAlmostEqual(one.line.slope, 0.01)
        self.assertAlmostEqual(one.line.at(49.5), 5.0)
        self.assertEqual(figures.formula(one.line), "4.5 ms + 10.0 µs for each Pod bound")

    def test_one_step_has_no_slope(self):
        self.assertEqual(figures.Figures([step(0, 0, 500)]).line, figures.Line(5.0, 0.0))

    def test_rounds_become_medians(self):
        one = figures.Figures([step(number, 0, cpu) for number, cpu in enumerate((300, 900, 400))])
        self.assertEqual((one.median(one.cpu_of), one.spread(one.cpu_of)), (4.0, "3.0–9.0"))

    def test_rounds_are_compared_with_their_own(self):
        ours = figures.Figures([step(0, 0, 200), step(1, 0, 2000)])
        none = figures.Figures([step(0, 0, 100, "none"), step(1, 0, 1000, "none"), step(2, 0, 7, "none")])
        self.assertEqual(figures.ratio(ours, none), "2.00")

    def test_a_mean_has_its_interval(self):
        self.assertEqual(figures.mean_of([1.1, 1.2, 1.3]), "1.20 (0.97–1.47)")
        self.assertEqual(figures.mean_of([1.5]), "1.50")

    def test_a_table(self):
        found = figures.grouped([step(0, 0, 200), step(0, 100, 400), step(0, 0, 100, "none"), step(0, 100, 200, "none")])[1000, 4]
        lines = figures.table((1000, 4), found, {"ours": "tpu-webhook"}, "none").splitlines()
        self.assertEqual(lines[2], "| tpu-webhook | 3.0 |  | 2.00 | 1.0 + 0.0200 x | 2.0 s | 100 |")
        self.assertEqual({line.count("|") for line in lines}, {8})


class Picture(unittest.TestCase):
    def test_it_is_xml_and_has_a_curve_for_each_and_no_markup_of_titles(self):
        found = figures.grouped([step(0, before, 200 + before, name) for name in ("none", "ours", "<x>") for before in (0, 100)])[1000, 4]
        tree = xml.etree.ElementTree.fromstring(picture.draw(1000, found, {}, "said & done"))
        curves = [one for one in tree.iter("{http://www.w3.org/2000/svg}path") if "curve" in one.get("class", "")]
        self.assertEqual(len(curves), 3 * 2 + 3)  # in two panels and the legend

    def test_scales_are_round_and_reach(self):
        for most, steps in ((18.6, [0, 5, 10, 15, 20]), (115, [0, 25, 50, 75, 100, 125]), (0.9, [0, 0.2, 0.4, 0.6, 0.8, 1.0])):
            self.assertEqual(picture.scale(most), steps)


    def test_those_in_docs_and_the_tables_are_of_the_figures_in_the_tree(self):
        for record in (ROOT / "bench/scheduling.json", *sorted((ROOT / "bench/scheduler/measured").glob("*.json"))):
            with self.subTest(record.name):
                command = [sys.executable, ROOT / "bench/scheduling", "--from", record, "--check"]
                answer = subprocess.run(command, capture_output=True, text=True, check=False)
                self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)


class Pods(unittest.TestCase):
    def test_jobsets_terms_are_those_recorded(self):
        recorded = ROOT / "tests/golden/recorded/jobset-multislice/reviews.jsonl"
        pod = json.loads(recorded.read_text(encoding="utf-8").splitlines()[0])["request"]["object"]
        (leader,) = constraints.jobset_leader(3)
        text = json.dumps(leader["spec"]["affinity"], sort_keys=True)
        key = leader["metadata"]["labels"]["jobset.sigs.k8s.io/job-key"]
        theirs = pod["metadata"]["labels"]["jobset.sigs.k8s.io/job-key"]
        self.assertEqual(text.replace(key, theirs), json.dumps(pod["spec"]["affinity"], sort_keys=True))
        self.assertEqual(set(leader["metadata"]["labels"]) - {"app"}, set(pod["metadata"]["labels"]))

    def test_slices_of_one_workload_are_in_one_namespace(self):
        for number in range(0, 40, 2):
            self.assertEqual(len({pod["metadata"]["namespace"] for one in (number, number + 1) for pod in constraints.members(one)}), 1)

    def test_a_slice_has_as_many_pods_as_hosts(self):
        for hosts, shape in constraints.SHAPES.items():
            self.assertEqual(len(constraints.selector(0, shape)), hosts)

    def test_a_group_is_sent_with_its_members(self):
        gang, *pods = constraints.group(1)
        self.assertEqual({pod["spec"]["schedulingGroup"]["podGroupName"] for pod in pods}, {gang["metadata"]["name"]})
        self.assertEqual(gang["spec"]["schedulingPolicy"]["gang"]["minCount"], len(pods))

    def test_a_pod_without_tpus_selects_nothing(self):
        self.assertFalse({"affinity", "nodeSelector", "tolerations"} & set(constraints.plain("p", 1)["spec"]))

    def test_all_pods_of_a_constraint_are_of_its_profile(self):
        one = constraints.compared(None)[2].scheduled_by("terms-first")  # JobSet's leaders and followers
        self.assertEqual({pod["spec"]["schedulerName"] for pod in one.first(0) + one.then(0, "slice-0")}, {"terms-first"})

    def test_no_pod_has_an_owner(self):
        for make in (constraints.none, constraints.selector, constraints.jobset_leader, constraints.kuberay):
            self.assertFalse([pod for pod in make(1) if "ownerReferences" in pod["metadata"]])


class Rows(unittest.TestCase):
    def test_a_lost_row_is_seen(self):
        seen = {row.__name__: {"ours": ["stands", "stands"], "x": ["stands", "lost: it waits"]} for row in rows.ROWS}
        line = rows.table(seen).splitlines()[2]
        self.assertTrue(line.endswith("| stands | **lost, 1 of 2**: it waits |"), line)

    def test_no_two_rows_have_one_name(self):
        self.assertEqual(len({row.__name__ for row in rows.ROWS}), len(rows.ROWS))


@unittest.skipUnless(PROGRAM, "no program")
class Reviewed(unittest.TestCase):
    def test_members_have_the_terms_of_their_slice(self):
        reviewed = constraints.Reviewed(PROGRAM, 2)
        keys = [[pod["metadata"]["labels"]["tpu-webhook.dev/slice-key"] for pod in reviewed(number)] for number in (0, 1)]
        self.assertEqual([len(set(one)) for one in keys], [1, 1])
        self.assertNotEqual(keys[0], keys[1])

    def test_a_higher_priority_is_in_all_that_is_said_of_it(self):
        before, after = constraints.Reviewed(PROGRAM, 1)(0), constraints.Reviewed(PROGRAM, 1)(0)
        variants.edited(after, rows.urgent)
        said = json.dumps([[pod["metadata"]["labels"], pod["spec"]["affinity"]] for pod in before])
        want = said.replace('priority": "0"', 'priority": "1000"').replace('"values": ["0"]', '"values": ["1000"]')
        self.assertEqual(json.dumps([[pod["metadata"]["labels"], pod["spec"]["affinity"]] for pod in after]), want)

    def test_a_leader_is_one_and_the_others_follow_it(self):
        leader, *others = variants.variant("leader", constraints.Reviewed(PROGRAM, 1)).first(0)
        self.assertIn("podAntiAffinity", leader["spec"]["affinity"])
        for pod in others:
            self.assertNotIn("podAntiAffinity", pod["spec"]["affinity"])
            self.assertNotIn(variants.LEADER, pod["metadata"]["labels"])
            self.assertIn(variants.LEADER, json.dumps(pod["spec"]["affinity"]["podAffinity"]))

    def test_every_variant_finds_the_terms_it_changes(self):
        reviewed = constraints.Reviewed(PROGRAM, 1)
        for name in variants.NAMES:
            with self.subTest(name):
                one = variants.variant(name, reviewed)
                self.assertEqual(len(one.first(0)) + len(one.then(0, "slice-0")), constraints.FOUR.hosts)


if __name__ == "__main__":
    unittest.main()
