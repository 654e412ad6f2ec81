// `tpu-webhook slices` and `tpu-webhook audit`: what is there, and what is wrong with it.
#pragma once

#include "server/source/object_source.hpp"
#include "webhook/config/config.hpp"

#include <functional>
#include <iosfwd>
#include <string>

namespace tpuwh::server::slices {

enum class SlicesOutput { text, json };

struct SlicesOptions {
  std::string ns;    // only of this namespace; "" for all
  std::string name;  // only of workloads of this name; "" for all
  SlicesOutput output = SlicesOutput::text;
  bool colour = false;  // main sets it on a terminal
  bool redraw = false;  // --watch on a terminal: in place of what was printed before
  webhook::config::Config config;
};

// Prints every slice, once or, with `wait`, again each time something has changed.
//
//   wait     waits a while; false: that was the last time. Null: print once. With it a source
//            that fails later than the first time is told of and asked again
//   returns  0; 2 where the source cannot be read (a sentence on `err`)
int run_slices(const SlicesOptions& options, source::ObjectSource& source,
               const std::function<bool()>& wait, std::ostream& out, std::ostream& err);

// Prints what is wrong. What slices do to each other is looked for in all of them; the filters
// choose what is printed.
//
//   returns  0 no error (warnings do not count), 1 an error, 2 as above
int run_audit(const SlicesOptions& options, source::ObjectSource& source, std::ostream& out,
              std::ostream& err);

}  // namespace tpuwh::server::slices
