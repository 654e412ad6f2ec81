// The caller of webhooks as the API server has it: its plugin of mutating webhooks, and the clients that this makes.
// Of the version that tests/e2e builds, so that both are compiled once.
module tpu-webhook.dev/server/clients/apiserver

go 1.26.0

require (
	k8s.io/api v0.36.3
	k8s.io/apimachinery v0.36.3
	k8s.io/apiserver v0.36.3
	k8s.io/client-go v0.36.3
)
