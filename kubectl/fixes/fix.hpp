// What is done about a finding, as a value that is printed in one place.
//
//   an edit     a path of a manifest's object and the value that it gets
//   a command   command.hpp
//   a choice    several answers are right, and a person knows which: a sentence
//
// Edits and commands of one fix are done together. Whoever prints one has tried it (make.hpp).
#pragma once

#include "kubectl/fixes/command.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tpuwh::server::fixes {

using Path = Json::json_pointer;

// An object of the input.
struct ObjectName {
  std::string kind, ns, name;
  bool operator==(const ObjectName&) const = default;
};

struct Edit {
  std::optional<ObjectName> object = {};  // nothing: the one that the finding is of
  Path path;                              // RFC 6901; maps on the way are made
  std::optional<Json> value = {};         // nothing: what stands there is removed
  std::string what = {};                  // the name of an element that is removed, "TPU_WORKER_ID"
};

using Step = std::variant<Edit, Command>;
using Steps = std::vector<Step>;

struct Choice {
  std::string sentence;
};

using Fix = std::variant<Choice, Steps>;

// "spec.replicatedJobs[0].template.spec.parallelism", as a person says it.
std::string spoken(const Path& path);

// "set spec.completions to 4, and spec.parallelism to 4"; the sentence of a choice. A command,
// which makes an object, is named, and its text is not here.
std::string words(const Fix& fix);
// The texts of its commands.
std::vector<std::string> commands(const Fix& fix);

// {"edits": [{"path": …, "value": …}], "commands": [{"verb": …, "object": …, …}]} or
// {"choice": …} (docs/explain.schema.json).
Json json(const Fix& fix);

// Does an edit. False where there is nothing to remove, or no map to write into.
bool apply(const Edit& edit, Json& object);

}  // namespace tpuwh::server::fixes
