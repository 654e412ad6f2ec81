"""A real Kubernetes control plane on this machine, for the end-to-end tests.

etcd, kube-apiserver, kube-controller-manager, kube-scheduler, KWOK and the JobSet,
LeaderWorkerSet, KubeRay and Kueue operators, built from their own Go modules (`modules/`),
started on loopback and ended by process id. README.md says how it fits together.

Only Python's standard library is used, so the first `up` needs python3, go and openssl.
"""
