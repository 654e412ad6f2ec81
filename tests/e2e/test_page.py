"""What runs a page (harness/page.py) finds what is wrong with it."""

import pytest

from harness import page

TEXT = """
# A page

```sh yours
export WHO=you
```

```sh
echo "hello, $WHO, of $PLACE"   # a comment
SEEN=yes
```

```text
hello, … of here
```

```text
that stands behind another block
```

Words between.

```sh
echo "seen: $SEEN"; echo more
```

```yaml
- no command
```
"""


@pytest.fixture
def shell(tmp_path):
    """shell(text): run the blocks of a page; what they print."""
    shells = []

    def run(text):
        (tmp_path / "page").write_text(text, encoding="utf-8")
        shells.append(page.Shell(tmp_path, {"WHO": "me", "PLACE": "here"}, tmp_path / "log"))
        return [shells[-1].run(one, seconds=20) for one in page.blocks(tmp_path / "page") if not one.yours]

    yield run
    for one in shells:
        one.end()


def test_blocks_run_in_one_shell(shell, tmp_path):
    assert shell(TEXT) == ["hello, me, of here\n", "seen: yes\nmore\n"]
    found = page.blocks(tmp_path / "page")
    assert [(one.line, one.yours, one.seen) for one in found] == [(5, True, []), (9, False, ["hello, … of here"]), (24, False, [])]
    assert page.variables(found[0]) == ["WHO"] and page.commands(found[0]) == ["export WHO=you"]


@pytest.mark.parametrize("wrong, said", [
    (TEXT.replace("of here", "of there"), "hello, … of there"),
    (TEXT.replace("echo more", "echo more | grep less"), "line 24"),
    (TEXT.replace("SEEN=yes", "false; SEEN=yes"), "line 9"),
    (TEXT.replace("echo more", "exit 0"), "line 24"),
], ids=["another-output", "failing-pipe", "failing-command", "end"])
def test_a_page_that_is_not_true(shell, wrong, said):
    with pytest.raises(page.Failed, match=said):
        shell(wrong)


def test_lines_are_seen_in_their_order():
    assert page.unseen(["one", "t…e"], "one\n  two\nthree\n") == ""
    assert page.unseen(["two", "one"], "one\ntwo\n") == "one"
    assert page.unseen(["a.b"], "axb\n") == "a.b"
