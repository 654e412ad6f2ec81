// Names and pins helm 4, and helm 3, which most clusters are still changed by (its rollback patches otherwise), for tests/e2e:
// a module of their own; with the control plane's releases of all that both have, so that it is compiled once: what is
// "// indirect" is there for these.
module tpu-webhook.dev/e2e/helm

go 1.26.0

tool (
	helm.sh/helm/v3/cmd/helm
	helm.sh/helm/v4/cmd/helm
)

require (
	helm.sh/helm/v3 v3.22.0
	helm.sh/helm/v4 v4.3.1
)

require (
	k8s.io/apiextensions-apiserver v0.37.2 // indirect
	k8s.io/kubectl v0.37.2 // indirect
)
