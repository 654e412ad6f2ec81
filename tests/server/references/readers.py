"""What two readers of HTTP make of a client's bytes.

Each gives the requests that are whole, in order, and why it stopped:
    ([(method, target, body)], "" or a sentence)
The server answers each with 404 and does not switch protocols, as ours.
"""

import h11
import httptools


def by_h11(data):
    found = []
    connection = h11.Connection(h11.SERVER, max_incomplete_event_size=1 << 20)
    try:
        connection.receive_data(data)
        connection.receive_data(b"")  # the end of what comes
        while True:
            event = connection.next_event()
            if isinstance(event, h11.Request):
                head, body = event, b""
            elif isinstance(event, h11.Data):
                body += bytes(event.data)
            elif isinstance(event, h11.EndOfMessage):
                found.append((bytes(head.method), bytes(head.target), body))
                answer = h11.Response(status_code=404, headers=[("Content-Length", "0")])
                connection.send(answer)
                connection.send(h11.EndOfMessage())
            elif event is h11.PAUSED:
                if connection.our_state is not h11.DONE or connection.their_state is not h11.DONE:
                    return found, "the last"
                connection.start_next_cycle()
            else:  # ConnectionClosed, or more is wanted
                return found, ""
    except h11.RemoteProtocolError as error:
        return found, str(error) or "refused"


class _Listener:
    def __init__(self):
        self.found, self.parser, self.target, self.body = [], None, b"", b""

    def on_message_begin(self):
        self.target, self.body = b"", b""

    def on_url(self, piece):
        self.target += piece

    def on_body(self, piece):
        self.body += piece

    def on_message_complete(self):
        self.found.append((self.parser.get_method(), self.target, self.body))


def by_llhttp(data):
    listener = _Listener()
    listener.parser = httptools.HttpRequestParser(listener)
    try:
        listener.parser.feed_data(data)
    except httptools.HttpParserUpgrade:  # it has not looked for the body
        return listener.found[:-1], "upgrade"
    except httptools.HttpParserError as error:
        return listener.found, f"{type(error).__name__}: {error}"
    return listener.found, ""


READERS = {"h11": by_h11, "llhttp": by_llhttp}
