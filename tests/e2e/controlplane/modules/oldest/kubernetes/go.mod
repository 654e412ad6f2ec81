// Names the programs of the control plane. What is "// indirect" is of a later release than they ask for: Kubernetes asks for
// v0.0.0 of its own libraries. Releases: pins.toml.
module tpu-webhook.dev/e2e/kubernetes

go 1.26.0

tool (
	k8s.io/kubernetes/cmd/kube-apiserver
	k8s.io/kubernetes/cmd/kube-controller-manager
	k8s.io/kubernetes/cmd/kube-scheduler
	k8s.io/kubernetes/cmd/kubectl
)

require k8s.io/kubernetes v1.30.14

require (
	k8s.io/apiextensions-apiserver v0.30.14 // indirect
	k8s.io/cluster-bootstrap v0.30.14 // indirect
	k8s.io/csi-translation-lib v0.30.14 // indirect
	k8s.io/dynamic-resource-allocation v0.30.14 // indirect
	k8s.io/endpointslice v0.30.14 // indirect
	k8s.io/kube-aggregator v0.30.14 // indirect
	k8s.io/kube-controller-manager v0.30.14 // indirect
	k8s.io/kube-scheduler v0.30.14 // indirect
	k8s.io/kubectl v0.30.14 // indirect
	k8s.io/kubelet v0.30.14 // indirect
	k8s.io/legacy-cloud-providers v0.30.14 // indirect
	k8s.io/mount-utils v0.30.14 // indirect
	k8s.io/pod-security-admission v0.30.14 // indirect
)
