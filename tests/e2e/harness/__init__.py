"""What the stories in tests/e2e/test_*.py stand on; ../README.md describes the fixtures.

    api         the official Kubernetes client, on plain dictionaries
    chart       charts/tpu-webhook, rendered by the real helm
    replica     one process of tpu-webhook, started as its Pod would be
    service     the relay in front of the replicas: who is behind it, who is ready
    release     an installed chart: objects applied, replicas behind a relay, called or not
    beside      what goes on in a thread beside a story, and ends with it
    tamper      between API server and program: spoils answers, to see that stories notice
    namespace   a namespace of a story's own: manifests in, Pods out
    pools       which node pools there are to be scheduled on
    slices      which Pods are one slice, and whether it stands on a pool of its own
    live        Pods of the cluster as the real JAX and Ray read them
    unregistered  webhooks of others that are not called for a while
    report      the table at the end, and whether every listed case ran
"""
