// Watches the file of the cluster's rules, as server/tls/reloader.hpp does a certificate: polled,
// since a mounted ConfigMap changes by a symbolic link.
#pragma once

#include "server/tls/files.hpp"
#include "webhook/rules/rules.hpp"

#include <memory>
#include <optional>
#include <string>

namespace tpuwh::server::app {

class RulesWatch {
 public:
  using Rules = std::shared_ptr<const webhook::rules::Rules>;

  // `first` is what the file held at the start.
  RulesWatch(std::string file, Rules first);

  // What a look found: rules to use from now on, or why what is there cannot be used (keep the old
  // ones).
  struct Change {
    Rules rules;
    std::string error;
  };
  // Nothing if nothing is new: the same file, the same rules, or the same error as last time.
  std::optional<Change> poll();

 private:
  const std::string file_;
  tls::Stamp seen_;
  Rules rules_;
  std::string reported_;
};

}  // namespace tpuwh::server::app
