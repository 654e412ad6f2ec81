// The objects of all files that a command was given (objects.hpp), and their texts.
#pragma once

#include "base/result.hpp"
#include "kubectl/inspect/source/documents.hpp"
#include "kubectl/inspect/source/objects.hpp"

#include <cstddef>
#include <deque>
#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::source {

class Input {
 public:
  struct Limits {
    std::size_t each, together;                   // bytes of files
    text::Twice twice = text::Twice::last_holds;  // keys of YAML
    bool skip_empty = false;                      // an empty file beside others is told in empty()
  };
  struct Object : ReadObject {
    std::string_view file;                            // as a person calls it
    const std::vector<std::string>* notes = nullptr;  // how its document was read
  };

  //   errors  a sentence that begins with the file: bad_value, it cannot be read or is packed;
  //           empty_body; bad_json and others of Documents; too_large
  static Result<Input> read(const std::vector<std::string>& names, std::istream& in,
                            const Limits& limits);

  std::vector<Object>& objects() { return objects_; }
  const std::vector<Object>& objects() const { return objects_; }
  const Lists& lists() const { return reader_->lists(); }
  const std::vector<std::string>& empty() const { return empty_; }
  const std::deque<std::string>& files() const { return names_; }

 private:
  Result<void> add(const std::string& file, std::string bytes, const Limits& limits);

  std::unique_ptr<ObjectReader> reader_ = std::make_unique<ObjectReader>();
  std::deque<std::string> names_;
  std::deque<source::Documents> documents_;
  std::vector<Object> objects_;
  std::vector<std::string> empty_;
};

}  // namespace tpuwh::server::source
