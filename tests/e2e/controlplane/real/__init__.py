"""Real nodes: kubelet, containerd and runc in network namespaces, and the containers that run there."""
