// One thing that can be set, and how: its key in the configuration file, its flag, its
// schema. The table of them (table.hpp) is what flags, file and schema are made from.
#pragma once

#include "server/settings/serve_options.hpp"
#include "server/text/json_text.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace tpuwh::server::settings {

// Which subcommands have the flag; each scope has those of the scopes before it.
enum class Scope {
  names,     // rules: what stands in paths
  decision,  // review: what a decision depends on
  serve,
};

// How the text of a flag becomes a value of the file.
enum class Shape {
  text,     // itself
  integer,  // a number
  boolean,  // --flag is true, --flag=false is not; `negation` says it the other way round
  list,     // split at commas; the flag may stand several times
};

struct Setting {
  std::string key = {};       // "drain.delay"; a part '*' is a namespace's name
  std::string flag = {};      // "--drain-delay"; "" where only the file can say it
  std::string negation = {};  // "--no-placement"
  Scope scope = Scope::serve;
  Shape shape = Shape::text;
  std::string type_name = {};  // of the flag's value, in --help
  std::string help = {};
  Json schema = {};  // JSON schema of the value

  // Sets it to a value as it stands in a file; `name` is what '*' stands for. Returns what is
  // wrong ("want …, not …"), "" if nothing is.
  std::function<std::string(ServeOptions& options, std::string_view name, const Json& value)> set =
      {};
  // The value, null where nothing is said; where the key has a '*', an object of all by name.
  std::function<Json(const ServeOptions& options)> get = {};
};

}  // namespace tpuwh::server::settings
