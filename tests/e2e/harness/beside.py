"""Something that goes on beside a story, and ends with it."""

import concurrent.futures
import contextlib
import threading


@contextlib.contextmanager
def beside(work):
    """While this holds, `work(stop)` runs in a thread of its own. At the end the event `stop` is set and the thread has
    ended, whatever became of the story; what `work` raised is raised here, unless the story failed by itself."""
    stop = threading.Event()
    with concurrent.futures.ThreadPoolExecutor(max_workers=1) as thread:
        running = thread.submit(work, stop)
        try:
            yield
        finally:
            stop.set()
    running.result()
