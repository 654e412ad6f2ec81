// One thing that can be set, and how: its key in the configuration file, its flag, its
// schema. The table of them (table.hpp) is what flags, file and schema are made from.
#pragma once

#include "server/settings/serve_options.hpp"
#include "server/text/json_text.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::settings {

// Which subcommands have the flag; each scope has those of the scopes before it.
enum class Scope {
  names,     // rules: the prefix in paths
  decision,  // review: what a decision depends on
  serve,
};

// How the text of a flag becomes a value of the file.
enum class Shape {
  text,     // itself
  integer,  // a number
  boolean,  // --flag is true, --flag=false is not; `negation` says it the other way round
  list,     // split at commas; the flag may be repeated
  levels,   // in the file alone: levels of findings by id
};

struct Setting {
  std::string key = {};       // "drain.delay"; a part '*' is a namespace's name
  std::string flag = {};      // "--drain-delay"; "" where only the file can say it
  std::string negation = {};  // "--no-placement"
  Scope scope = Scope::serve;
  Shape shape = Shape::text;
  std::vector<std::string> names = {};  // the values of a text or of a list's items; empty: any
  std::int64_t least = 0, most = 0;     // of an integer
  std::string type_name = {};           // of the flag's value, in --help
  std::string help = {};

  // Sets it to a value of the file's type; `name` replaces '*'. Returns "" or what is wrong
  // ("expected …, got …").
  std::function<std::string(ServeOptions& options, std::string_view name, const Json& value)> set =
      {};
  // The value, null where nothing is said; where the key has a '*', an object of all by name.
  std::function<Json(const ServeOptions& options)> get = {};
};

}  // namespace tpuwh::server::settings
