// YAML manifests as JSON, typed as kubectl types them.
#pragma once

#include "base/result.hpp"
#include "server/text/json_text.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::text {

// What aliases may make of a text, in bytes beyond its own: four times the largest manifests. A
// string of 60 KB with 900 aliases to it, in a list with 1,000 more, stands for 54 GB.
inline constexpr std::size_t max_repeated_yaml_bytes = 4 * (std::size_t{8} << 20);

// Of a key that stands twice: the last value holds, where the first stood, or the text is refused,
// since others read the first.
enum class Twice { last_holds, refused };

// The documents of a YAML stream; empty ones are left out.
//
//   types   plain scalars are null, true, false, numbers or strings as YAML 1.1 in
//           Kubernetes' reader has them (yes, no, on and off are booleans); quoted
//           ones are strings
//   errors  with the line: bad_json; too_deep below 64 levels; duplicate_key; too_large for more
//           than a million values, or max_repeated_yaml_bytes
//   merges  "<<" as kubectl's reader has it (sigs.k8s.io/yaml): what it names is put where it
//           stands, so that it replaces keys before it and is replaced by those behind it
Result<std::vector<Json>> parse_yaml(const std::string& text);

// A document, and what has to be said of how it was read: a sentence with its line for each key
// that stands twice, and for each merge that other readers take another way.
struct YamlDocument {
  Json value;
  std::vector<std::string> notes;
};

// A document of a stream, with its marks, and how many lines stand before it.
struct YamlPart {
  std::string_view text;
  std::size_t lines_before = 0;
};

// Cuts a stream where a line begins a document or ends one.
std::vector<YamlPart> split_documents(std::string_view text);

// Whether a line is a mark between documents, "---" or "...", with nothing or a space behind it.
bool is_document_mark(std::string_view rest, std::string_view mark);

// Reads the documents of one stream, which somebody cut at its "---". What aliases repeat is
// counted over all of them.
class YamlStream {
 public:
  //   bytes  of the whole stream
  //   twice  what becomes of a key that stands twice; as kubectl reads it, the last value holds,
  //          and `notes` say so
  YamlStream(std::size_t bytes, Twice twice);
  ~YamlStream();

  //   lines_before  in the stream, for what is said
  //   errors        parse_yaml()'s; and bad_json for a second value behind the first
  Result<YamlDocument> read(std::string_view document, std::size_t lines_before);

 private:
  struct State;
  std::unique_ptr<State> state_;
  const Twice twice_;
};

struct YamlProblem {
  int line;  // from 1
  std::string what;
};

// One document and where its parts stand.
struct LocatedYaml {
  Json value;                        // null for an empty text
  std::map<std::string, int> lines;  // JSON pointer -> line of the key or item, from 1
  // A key that stands twice (its first value holds); a second document; what is not YAML, or
  // one of the errors of parse_yaml(), after which `value` is null.
  std::vector<YamlProblem> problems;

  // Of what a JSON pointer leads to; 1 where nothing is there.
  int line(const std::string& pointer) const {
    const auto found = lines.find(pointer);
    return found == lines.end() ? 1 : found->second;
  }
};
LocatedYaml parse_located_yaml(const std::string& text);

// For people: block style, a string quoted only where it would not read as one. Read again it is
// the same value.
std::string to_yaml(const Json& value);

}  // namespace tpuwh::server::text
