#include "kubectl/certificate/command.hpp"

#include "kubectl/certificate/keeper.hpp"
#include "kubectl/certificate/rights.hpp"
#include "kubectl/reference/rules/roles.hpp"
#include "server/net/task_group.hpp"
#include "server/text/version.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <csignal>
#include <ostream>
#include <stdexcept>

namespace tpuwh::server::certificate {

namespace {

kube::access::ApiConfig find_api_server(const KeepOptions& options) {
  const auto access = kube::access::PodAccess::from_environment(options.service_account);
  if (!access.in_cluster())
    throw std::runtime_error(
        "KUBERNETES_SERVICE_HOST or KUBERNETES_SERVICE_PORT is not set: this command must run in a "
        "Pod; the Helm chart runs it in Deployment tpu-webhook-keeper if the value "
        "certificate.mode is internal");
  auto config = kube::access::in_cluster_config(access);
  if (!config) throw std::runtime_error(config.error().message());
  return std::move(*config);
}

}  // namespace

int run_keep(const KeepOptions& options, const text::Console&) {
  const kube::access::ApiConfig config = find_api_server(options);
  log::Log log(options.log_format, log::LogLevel::info);
  net::TaskGroup tasks;
  tasks.when_failed([&log](const net::TaskFailure& failure) {
    log.error("a task failed and is started again",
              {{"task", failure.task}, {"error", failure.what}});
  });
  boost::asio::io_context context(1);
  Keeper keeper(context.get_executor(), config, options.secret, log);
  tasks.keep(context.get_executor(), "certificate", [&keeper] { return keeper.run(); });
  boost::asio::signal_set signals(context, SIGINT, SIGTERM);
  signals.async_wait([&tasks](const net::error_code&, int) { tasks.cancel(); });
  log.info("keeping the certificate",
           {{"secret", options.secret}, {"namespace", config.ns}, {"version", text::version}});
  context.run();
  log.info("stopped");
  return 0;
}

int run_rights(const KeepOptions& options, const text::Console& console) {
  console.out << text::printed_lines(rules::roles_yaml(keeper_name, keeper_rules(options.secret)));
  return 0;
}

}  // namespace tpuwh::server::certificate
