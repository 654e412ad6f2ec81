#include "webhook/validate/readiness.hpp"

#include "base/concat.hpp"
#include "base/names.hpp"
#include "webhook/validate/object.hpp"

namespace tpuwh::webhook::validate {

namespace {

using base::json::Reader;

bool read_container(Reader& in, bool init, std::string& what) {
  std::string_view name, policy, probe;
  const bool read = in.object([&](std::string_view key) {
    if (key == "name") return base::json::optional_text(in, name);
    if (key == "restartPolicy") return base::json::optional_text(in, policy);
    if (key == "readinessProbe" || key == "startupProbe") {
      if (in.take_null()) return true;
      probe = key;
    }
    return in.skip();
  });
  const bool runs = !init || policy == "Always";
  if (what.empty() && runs && !probe.empty())
    what = base::concat({probe, " of container ", base::printable(name)});
  return read;
}

bool read_gates(Reader& in, std::string& what) {
  if (in.take_null()) return true;
  return in.array([&](std::size_t) {
    if (what.empty()) what = "its readinessGates";
    return in.skip();
  });
}

bool read_containers(Reader& in, bool init, std::string& what) {
  return in.take_null() || in.array([&](std::size_t) {
    return in.take_empty_object() || read_container(in, init, what);
  });
}

}  // namespace

bool read_readiness(Reader& in, Reader::Mark pod_template, std::string& what,
                    std::string_view step) {
  TemplateSpec pod;
  const auto read_member = [&](std::string_view key) {
    if (key == "containers") return read_containers(in, false, what);
    if (key == "initContainers") return read_containers(in, true, what);
    return key == "readinessGates" ? read_gates(in, what) : in.skip();
  };
  return read_template_spec(in, pod_template, pod, step) &&
         below(step, below("spec", object_at(in, pod.spec, read_member), in), in);
}

}  // namespace tpuwh::webhook::validate
