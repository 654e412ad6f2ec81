"""Real nodes beside a control plane: kubelet, containerd and runc in network namespaces of this machine."""
