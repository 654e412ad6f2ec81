"""Stories of a watch."""

import json
import time

from checks import check
from made_up_api import Server
from probe import SLACK, asked, expect


def pod(name, version):
    return json.dumps({"metadata": {"name": name, "resourceVersion": str(version)}})


def event(kind, name, version):
    return f'{{"type":"{kind}","object":{pod(name, version)}}}\n'


INITIAL_END = ('{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"10","annotations":'
               '{"k8s.io/initial-events-end":"true"}}}}\n')


def refusal(peer, status, reason, fields="", message=""):
    peer.answer(json.dumps({"kind": "Status", "reason": reason, "message": message,
                            "code": status}), status, fields)


class Story:
    """Answers the n-th request with `steps[n]`; the last one again and again."""

    def __init__(self, *steps):
        self.steps, self.targets, self.times = steps, [], []

    def __call__(self, peer):
        while text := peer.request():
            step = self.steps[min(len(self.targets), len(self.steps) - 1)]
            self.targets.append(text.split()[1])
            self.times.append(time.monotonic())
            if step(peer) == "close":
                return

    def watched(self, milliseconds):
        return asked(Server(self), command=f"cancel {milliseconds} watch -/v1/pods/-")


def initial(peer):
    """A watch-list of one Pod that then stays open."""
    peer.head()
    peer.chunk(event("ADDED", "a", 7) + INITIAL_END)
    peer.wait_until_gone()


@check
def a_watch_list_is_followed():
    def step(peer):
        peer.head()
        peer.chunk(event("ADDED", "a", 7) + INITIAL_END[:40])
        peer.chunk(INITIAL_END[40:] + event("ADDED", "b", 11) + event("DELETED", "a", 12))
        peer.chunk('{"type":"NEW","object":{}}\n')
        peer.wait_until_gone()

    story = Story(step)
    expect(story.watched(500), synced=True, version="12", relists=0, failures=0,
           calls=["begin", "upsert a", "end", "moved", "upsert b", "moved", "remove a", "moved"])
    assert "sendInitialEvents=true&resourceVersionMatch=NotOlderThan" in story.targets[0]
    assert "resourceVersion=" not in story.targets[0]


@check
def an_object_that_is_too_large_is_passed_over():
    """Anybody may create a Pod of 3 MiB; the others are followed all the same."""
    def large(peer):
        text = '{"type":"ADDED","object":{"metadata":{"resourceVersion":"8","name":"l"},"x":"'
        peer.chunk(text + "x" * (3 << 20) + '"}}\n')

    def step(peer):
        peer.head()
        peer.chunk(event("ADDED", "a", 7))
        large(peer)
        peer.chunk(INITIAL_END)
        large(peer)
        peer.chunk(event("ADDED", "b", 11))
        peer.wait_until_gone()

    expect(Story(step).watched(1500), synced=True, version="11", relists=0, failures=0, passed_over=2,
           calls=["begin", "upsert a", "end", "moved", "upsert b", "moved"])


@check
def a_cut_watch_is_resumed_from_its_last_version():
    def step(peer):
        peer.head()
        peer.chunk(event("ADDED", "a", 7) + INITIAL_END + event("MODIFIED", "a", 11))
        peer.send('40\r\n{"type":"MODIFIED","object":{"met')
        return "close"

    def rest(peer):
        peer.head()
        peer.chunk(event("MODIFIED", "a", 12))
        peer.wait_until_gone()

    story = Story(step, rest)
    expect(story.watched(2500), synced=True, version="12", relists=0, failures=1,
           calls=["begin", "upsert a", "end", "moved", "upsert a", "moved", "upsert a", "moved"])
    assert "watch=1&resourceVersion=11&" in story.targets[1], story.targets


@check
def an_old_server_is_listed_in_pages():
    def page(name, token):
        return lambda peer: peer.answer(
            f'{{"metadata":{{"resourceVersion":"20","continue":"{token}"}},'
            f'"items":[{pod(name, 5)}]}}')

    def end(peer):
        peer.head()
        peer.wait_until_gone()

    story = Story(lambda peer: refusal(peer, 422, "Invalid"), page("a", "t/1"), page("b", ""), end)
    expect(story.watched(500), synced=True, version="20", relists=0, failures=0,
           calls=["begin", "begin", "upsert a", "upsert b", "end", "moved"])
    assert story.targets[1:3] == ["/api/v1/pods?limit=500",
                                  "/api/v1/pods?limit=500&continue=t%2F1"], story.targets
    assert "resourceVersion=20" in story.targets[3]


@check
def an_object_of_a_page_that_is_too_large_is_passed_over():
    large = '{"metadata":{"name":"l","resourceVersion":"8"},"x":"' + "x" * (3 << 20) + '"}'

    def page(peer):
        peer.answer(f'{{"metadata":{{"resourceVersion":"20"}},'
                    f'"items":[{pod("a", 5)},{large},{pod("b", 6)}]}}')

    def end(peer):
        peer.head()
        peer.wait_until_gone()

    story = Story(lambda peer: refusal(peer, 422, "Invalid"), page, end)
    expect(story.watched(1500), synced=True, version="20", relists=0, failures=0, passed_over=1,
           calls=["begin", "begin", "upsert a", "upsert b", "end", "moved"])


@check
def an_expired_watch_is_listed_anew():
    def expired(peer):
        peer.head()
        peer.chunk(event("ADDED", "a", 7) + INITIAL_END)
        peer.chunk('{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}}\n')
        return "close"

    result = Story(expired, initial).watched(500)
    expect(result, synced=True, relists=1,
           calls=["begin", "upsert a", "end", "moved", "begin", "upsert a", "end", "moved"])


@check
def a_busy_server_is_waited_for():
    story = Story(lambda peer: refusal(peer, 429, "TooManyRequests", "Retry-After: 1\r\n"), initial)
    expect(story.watched(2500), synced=True, failures=1)
    waited = story.times[1] - story.times[0]
    assert 1 <= waited <= 1.25 + SLACK, waited
