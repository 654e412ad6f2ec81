"""A made-up API server: objects by collection, in pages of two, over plain HTTP."""

import http.server
import json
import threading
import urllib.parse

PAGE = 2


class Api:
    """`collections` maps a path ("/api/v1/pods") to objects; what is not there is a 404."""

    def __init__(self):
        self.collections = {}
        self.texts = {}          # path -> (status, text): what is no object
        self.forbidden = set()   # paths that may not be read
        self.expire = 0          # page tokens that are answered with 410
        self.rivals = 0          # writes that somebody else is faster than
        self.requests = []       # (method, path with query)
        self.deleted = []        # bodies of DELETE
        self.version = 100

    # --- what the handler asks; the answers are (status, object)

    def get(self, path, query):
        if path in self.forbidden:
            return status(403, "Forbidden", "you may not")
        if path in self.collections:
            return self.page(self.collections[path], query)
        folder, _, name = path.rpartition("/")
        if folder in self.forbidden:
            return status(403, "Forbidden", "you may not")
        found = self.find(folder, name)
        return (200, found) if found else status(404, "NotFound", f"no {path}")

    def page(self, objects, query):
        start = int(query.get("continue", ["0"])[0])
        if start and self.expire:
            self.expire -= 1
            return status(410, "Expired", "the continue parameter is too old")
        more = start + PAGE < len(objects)
        metadata = {"resourceVersion": str(self.version)}
        if more:
            metadata["continue"] = str(start + PAGE)
        return 200, {"kind": "List", "apiVersion": "v1", "metadata": metadata,
                     "items": objects[start:start + PAGE]}

    def find(self, folder, name):
        return next((o for o in self.collections.get(folder, ())
                     if o["metadata"]["name"] == name), None)

    def rival(self, found):
        """Somebody else's write just before this one."""
        if self.rivals and found:
            self.rivals -= 1
            self.version += 1
            found["metadata"]["resourceVersion"] = str(self.version)

    def put(self, path, body):
        folder, _, name = path.rpartition("/")
        found = self.find(folder, name)
        self.rival(found)
        if not found or found["metadata"]["resourceVersion"] != body["metadata"]["resourceVersion"]:
            return status(409, "Conflict", "the object has been modified")
        self.version += 1
        body["metadata"]["resourceVersion"] = str(self.version)
        objects = self.collections[folder]
        objects[objects.index(found)] = body
        return 200, body

    def delete(self, path, body):
        folder, _, name = path.rpartition("/")
        found = self.find(folder, name)
        self.deleted.append(body)
        self.rival(found)
        wanted = body.get("preconditions", {}).get("resourceVersion")
        if not found or wanted != found["metadata"]["resourceVersion"]:
            return status(409, "Conflict", "the precondition failed")
        self.collections[folder].remove(found)
        return 200, {"kind": "Status", "status": "Success"}


def status(code, reason, message):
    return code, {"kind": "Status", "code": code, "reason": reason, "message": message}


def handler_of(api):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self):
            url = urllib.parse.urlsplit(urllib.parse.unquote(self.path))
            api.requests.append((self.command, self.path))
            length = int(self.headers.get("Content-Length", 0))
            body = json.loads(self.rfile.read(length)) if length else None
            if url.path in api.texts:
                code, out = api.texts[url.path]
            elif self.command == "GET":
                code, out = api.get(url.path, urllib.parse.parse_qs(url.query))
            elif self.command == "PUT":
                code, out = api.put(url.path, body)
            else:
                code, out = api.delete(url.path, body)
            text = (out if isinstance(out, str) else json.dumps(out)).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_PUT = do_DELETE = answer

        def log_message(self, *_):
            pass

    return Handler


class Served:
    """`with Served(api) as port:`"""

    def __init__(self, api):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler_of(api))
        self.server.daemon_threads = True

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self.server.server_address[1]

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
