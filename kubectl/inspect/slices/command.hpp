// `kubectl tpu slices` and `kubectl tpu audit`: what is there, and what is wrong with it.
#pragma once

#include "kubectl/inspect/running/cluster_access.hpp"
#include "kubectl/inspect/slices/counting.hpp"
#include "kubectl/inspect/source/object_source.hpp"
#include "kubectl/text/console.hpp"
#include "webhook/config/config.hpp"

#include <functional>
#include <optional>
#include <string>

namespace tpuwh::server::slices {

enum class SlicesOutput { text, json };

struct SlicesOptions {
  running::ClusterAccess access;
  std::string ns;    // only of this namespace; "" for all
  std::string name;  // only of workloads of this name; "" for all
  SlicesOutput output = SlicesOutput::text;
  bool watch = false;              // again each time something has changed
  std::optional<CountBy> by = {};  // `slices`: count them
  webhook::config::Config config;
};

// Prints every slice, or how many there are by something, once or, with `watch`, again each time
// something has changed: on a terminal in place of what was printed before.
//
//   returns  0, also where a watch was interrupted; 2 where the cluster cannot be read, has no
//            namespace `ns` or, without `watch`, no slice of `name`, and where the prices cannot be
//            read (a sentence on err)
int run_slices(const SlicesOptions& options, const text::Console& console);

// Prints what is wrong. What slices do to each other is looked for in all of them; the filters
// choose what is printed.
//
//   returns  0 no error (warnings do not count), 1 an error, 2 as above
int run_audit(const SlicesOptions& options, const text::Console& console);

// The same of any source, for the two above and for tests.
//
//   wait     waits a while; false: that was the last time. Null: print once. With it a source
//            that fails later than the first time is told of and asked again
struct SlicesSource {
  source::ObjectSource& objects;
  std::function<bool()> wait = {};
};
int print_slices(const SlicesOptions& options, const SlicesSource& source,
                 const text::Console& console);
int print_audit(const SlicesOptions& options, source::ObjectSource& objects,
                const text::Console& console);

}  // namespace tpuwh::server::slices
