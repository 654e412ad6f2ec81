"""By label, not part of a whole run: 500 templates, each applied together with its Job (test_claims.py has 50).

    tests/e2e/run by_label/test_claims_together.py
    ctest --test-dir build/ci -L claims
"""

from test_claims import _claiming, together  # noqa: F401 (a fixture)


def test_500_templates_applied_with_their_jobs(claiming, namespace):  # noqa: F811
    together(namespace, 500)
