// The values of a text as kubectl takes and prints them, one behind another.
//
//   JSON   one value, several behind one another (pretty text::printed or lines of them)
//   YAML   documents between lines of "---" or "...", each of which may be JSON again; a flow
//          mapping, too
//   both   in UTF-8, or UTF-16 and UTF-32 (encoding.hpp), with or without a byte order mark; lines
//          that end in CRLF; lines of comments ("# ...") also before and in JSON; and what
//          `kubectl cluster-info dump` prints, whose logs ("==== START logs for ...") are passed
//          over
//
// Nothing is left out behind a first value: what cannot be read is a fault with its line.
#pragma once

#include "base/result.hpp"
#include "kubectl/text/yaml.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::source {

struct Document {
  std::string_view json;      // as it stands in the text, or what YAML says; no null
  std::size_t line = 1;       // where it begins in the text
  std::size_t last_line = 1;  // of YAML: where it ends
  bool yaml = false;
  std::vector<std::string> notes = {};  // of YAML: how it was read (YamlDocument)
};

class Documents {
 public:
  // `bytes` are those of a file. JSON stays where it is.
  //
  //   twice         of keys of YAML that stand twice (objects::read_json() is asked about those of
  //                 JSON later)
  //   lines_before  of a part of a file: what is said counts them, too
  //   cost          memory: of JSON half its text again; of YAML seventy times its text
  explicit Documents(std::string bytes, text::Twice twice = text::Twice::last_holds,
                     std::size_t lines_before = 0);
  Documents(Documents&&) = default;
  Documents& operator=(Documents&&) = default;

  // In order; up to the fault. Their bytes live as long as this, and 64 more can be read behind
  // them.
  const std::vector<Document>& all() const { return all_; }
  // Why there are no more, with its line ("line 7: ...") where there are lines.
  //
  //   errors  bad_value: the bytes are packed; bad_json, too_deep, and what text::parse_yaml() says
  const std::optional<Error>& fault() const { return fault_; }
  // What is read, in UTF-8.
  std::string_view text() const { return *texts_.front(); }

 private:
  class Reading;

  std::deque<std::unique_ptr<std::string>> texts_;  // the first is the file's
  std::vector<Document> all_;
  std::optional<Error> fault_;
};

// The text without a byte order mark and what stands around it is empty: no value, no word.
bool is_blank(std::string_view text);

}  // namespace tpuwh::server::source
