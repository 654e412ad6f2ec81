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
  names,     // such as `rules`: only the prefix of annotations and labels
  decision,  // review: what a decision depends on
  serve,
};

// How the text of a flag becomes a value of the file.
enum class Shape {
  text,     // itself
  integer,  // a number
  boolean,  // --flag is true, --flag=false is not; `negation` says it the other way round
  list,     // comma-separated texts; the flag may be repeated
  levels,   // the levels of findings by id; only in the file, without a flag
};

struct Setting {
  std::string key = {};       // "drain.delay"; a part '*' is a namespace's name
  std::string flag = {};      // "--drain-delay"; "" where only the file can say it
  std::string negation = {};  // "--no-placement"
  Scope scope = Scope::serve;
  Shape shape = Shape::text;
  std::vector<std::string> names = {};  // allowed values, or allowed items of a list; empty: any
  std::int64_t least = 0, most = 0;     // the bounds of an integer
  std::string type_name = {};           // the placeholder for the flag's value in --help
  std::string help = {};

  // Sets the setting in `options` to `value`, which has the same JSON type as in the configuration
  // file. `name` replaces '*' in the key. Returns "" or the fault of the value ("expected …, got
  // …").
  std::function<std::string(ServeOptions& options, std::string_view name, const Json& value)> set =
      {};
  // The value, null where nothing is said; where the key has a '*', an object of all by name.
  std::function<Json(const ServeOptions& options)> get = {};
};

}  // namespace tpuwh::server::settings
