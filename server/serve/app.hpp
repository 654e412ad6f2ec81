// `tpu-webhook serve`, from the first socket to the last answer.
#pragma once

#include "server/settings/serve_options.hpp"
#include "server/text/console.hpp"

namespace tpuwh::server::serve {

// Start: read or issue the certificate, open the ports, publish the CA, say
// `listening` in the log, be ready (in a cluster once it was listed). Then one thread
// per listener serves, one sweeps connections, and the calling thread waits for
// signals, watches the certificate files, serves the health port and is the loop of
// the cluster's client. End: as server/serve/drain.hpp says.
//
// Returns the exit code: 0, or 1 after a second signal. Throws std::runtime_error
// with a sentence if it cannot start. The console takes the CA's certificate if the
// server issued its own and has no file for it.
int run_serve(const settings::ServeOptions& options, const text::Console& console);

}  // namespace tpuwh::server::serve
