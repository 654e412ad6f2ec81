#include "kubectl/inspect/source/input.hpp"

#include "base/result.hpp"
#include "kubectl/inspect/source/input_files.hpp"
#include "server/text/read_file.hpp"

#include <fmt/format.h>

#include <utility>

namespace tpuwh::server::source {

Result<Input> Input::read(const std::vector<std::string>& names, std::istream& in,
                          const Limits& limits) {
  const auto files = source::input_files(names);
  if (!files) return files.error();
  Input out;
  std::size_t bytes = 0;
  for (const std::string& file : *files) {
    auto text = text::read_file_or(in, file, limits.each);
    const std::string name = source::spoken_file(file);
    if (!text && text.error().code() != base::Errc::too_large)
      return bad_value(fmt::format("cannot read {}: {}", name, text.error().text()));
    if (text) bytes += text->size();
    if (!text || bytes > limits.together)
      return Error(base::Errc::too_large,
                   fmt::format("{} has more than {} MiB{}, the maximum that is read", name,
                               (text ? limits.together : limits.each) >> 20,
                               files->size() == 1 ? "" : " with the files before it"));
    if (auto added = out.add(name, *std::move(text), limits); !added) return added.error();
  }
  if (out.documents_.empty() && !out.empty_.empty())
    return Error(base::Errc::empty, out.empty_.front() + " is empty");
  return out;
}

Result<void> Input::add(const std::string& file, std::string bytes, const Limits& limits) {
  const std::string& name = names_.emplace_back(file);
  if (source::is_blank(bytes)) {
    empty_.push_back(name);
    return limits.skip_empty ? Result<void>()
                             : Result<void>(Error(base::Errc::empty, name + " is empty"));
  }
  const source::Documents& documents = documents_.emplace_back(std::move(bytes), limits.twice);
  const auto fault = [&](const Error& of) {
    return Error(of.code(), fmt::format("{}: {}", name, of.text()));
  };
  if (documents.fault()) return fault(*documents.fault());
  for (const source::Document& document : documents.all()) {
    const auto told = reader_->read(document, [&](const ReadObject& object) {
      objects_.push_back({object, name, &document.notes});
    });
    if (!told) return fault(told.error());
  }
  return {};
}

}  // namespace tpuwh::server::source
