// `tpu-webhook serve`, from the first socket to the last answer.
#pragma once

#include "server/settings/serve_options.hpp"

namespace tpuwh::server::app {

// Start: read or issue the certificate, open the ports, say `listening` in the log, be
// ready (in a cluster once it was listed). Then one thread per listener serves, one sweeps
// connections, one hears signals and ends a process that hangs (server/serve/app/watchdog.hpp),
// and the calling thread watches the certificate files, serves the health port and is the
// loop of the cluster's client. Standard output gets the CA's certificate if the server
// issued its own and has no file for it, whenever its reader takes it. End: as
// server/serve/app/drain.hpp says.
//
// Returns the exit code: 0, or 1 after a second signal. Throws std::runtime_error
// with a sentence if it cannot start. SIGTERM, SIGINT and SIGHUP stay blocked.
int run_serve(const settings::ServeOptions& options);

}  // namespace tpuwh::server::app
