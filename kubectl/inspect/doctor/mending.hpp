// How fields of one of our objects get back what was rendered.
#pragma once

#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/difference.hpp"

#include <set>
#include <string>
#include <vector>

namespace tpuwh::server::doctor {

// Helm puts back what it has rendered and somebody has changed or deleted, and leaves what somebody
// has added (its patch of three ways, and server-side apply): that a JSON patch takes away, which
// names the object's every field that it touches. Both, where both are needed.
class Mending {
 public:
  // `what`: "service tpu-webhook", as kubectl takes it; `ns`: "" for what is in none.
  Mending(const View& view, const Json& object, std::string what, std::string ns);

  // `part` of the object ("/spec", "/webhooks/3") has these differences. `defaults`: members that
  // the chart leaves to the API server, which Helm therefore does not put back.
  void add(const std::string& part, const std::vector<Difference>& differences,
           const std::set<std::string>& defaults = {});
  // The whole of `part` is somebody's own; `name`, where it has one, is checked before.
  void remove(const std::string& part, const std::string& name = {});
  void replace(const std::string& part, const Json& value);
  // A selector in `part` ("/webhooks/3", "namespaceSelector"), which is another than `wanted`:
  // matchExpressions are a list, which Helm renders as a whole; labels are members.
  void add_selector(const std::string& part, const std::string& key, const Json& wanted);
  // What Helm renders differs, or is not there.
  void render() { rendered_ = true; }

  // "" where nothing was added.
  std::string command() const;

 private:
  // Null where the object has no such part.
  const Json& at(const std::string& part) const;

  const View& view_;
  const Json& object_;
  std::string what_, ns_;
  std::vector<Json> removals_, others_;
  bool rendered_ = false;
};

// Warns that the spec of an object is not as the chart renders it, with the command that mends it.
//
//   kind, name  "PodMonitor", "tpu-webhook"
//   ns          "" for what is in none
void warn_of_spec(const View& view, Checks& out, ids::DoctorCheck line, const Json& object,
                  const std::string& kind, const std::string& name, const std::string& ns,
                  const std::vector<Difference>& differences);

}  // namespace tpuwh::server::doctor
