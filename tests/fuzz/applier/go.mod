// The library by which the API server applies a webhook's patch.
module tpu-webhook.dev/fuzz/applier

go 1.26.0

require gopkg.in/evanphx/json-patch.v4 v4.13.0
