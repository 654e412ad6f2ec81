#include "kubectl/text/yaml.hpp"
#include "tests/fuzz/growth.hpp"
#include "tests/fuzz/printed.hpp"
#include "tests/fuzz/targets.hpp"

#include <algorithm>

namespace tpuwh::fuzz {

namespace {

using server::text::LocatedYaml;
using Json = nlohmann::ordered_json;

// Aliases repeat no more than so many bytes.
void require_bounded(const Json& value, std::size_t bytes) {
  require(value.dump(-1, ' ', false, Json::error_handler_t::replace).size() <=
              8 * (bytes + server::text::max_repeated_yaml_bytes),
          "more is made of the text than aliases may");
}

// What is no character of Unicode (U+FFFF, U+FDD0 and the like) yaml-cpp writes as U+FFFD.
bool has_noncharacter(const std::string& json) {
  for (const char* each : {"\xbf\xbe", "\xbf\xbf", "\xef\xb7"})
    if (json.find(each) != json.npos) return true;
  return false;
}

}  // namespace

void yaml(std::string_view bytes) {
  const std::string text(bytes);
  const auto documents = server::text::parse_yaml(text);
  if (!documents) require_plain(documents.error().message());
  if (documents) {
    for (const Json& document : *documents) {
      require_bounded(document, bytes.size());
      if (has_noncharacter(document.dump(-1, ' ', false, Json::error_handler_t::replace))) continue;
      // For people, and read again the same.
      const auto again = server::text::parse_yaml(server::text::to_yaml(document));
      require(again.has_value(), "what is printed cannot be read");
      require(again->size() == 1 && again->front() == document,
              "printed and read it is another: " + server::text::to_yaml(document));
    }
  }
  const LocatedYaml located = server::text::parse_located_yaml(text);
  const auto lines = 1 + std::ranges::count(text, '\n');
  for (const auto& [pointer, line] : located.lines) {
    require(line >= 1 && line <= lines, pointer + " on a line that is not there");
    if (located.value.is_null()) continue;  // of what is not YAML in the end
    require(located.value.contains(Json::json_pointer(pointer)), pointer + " is not in the value");
  }
  for (const auto& problem : located.problems) require_plain(problem.what);
  require_linear_time(bytes, "\n---\n", [](std::string_view input) {
    const auto each = server::text::parse_yaml(std::string(input));
    if (each)
      for (const Json& document : *each) server::text::to_yaml(document);
    server::text::parse_located_yaml(std::string(input));
  });
}

}  // namespace tpuwh::fuzz
