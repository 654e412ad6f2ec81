#include "kubectl/inspect/source/manifests.hpp"

#include "base/result.hpp"
#include "kubectl/inspect/source/input.hpp"
#include "kubectl/inspect/source/latest.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <utility>

namespace tpuwh::server::source {

namespace {

constexpr auto what_is_wanted = "a manifest, such as that of a Job, or a List";

Error unusable(std::string_view file, std::string_view what) {
  return bad_value(fmt::format("{}: {}; expected {}", file, what, what_is_wanted));
}

// "line 7: duplicate key a", of a text of one line without it.
std::string told(const Input::Object& object, const std::string& said) {
  return object.line == 1 ? said : fmt::format("line {}: {}", object.line, said);
}

Result<Manifest> manifest_of(const Input::Object& object) {
  std::string said;
  auto value = object.value(&said);
  if (!value)
    return Error(value.error().code(), fmt::format("{}: {}", object.file, value.error().text()));
  Manifest out{std::string(object.file), *std::move(value), *object.notes};
  if (!said.empty()) out.notes.push_back(told(object, said));
  return out;
}

// That each file has objects, all with kinds.
Result<void> look_at(const Input& input) {
  auto object = input.objects().begin();
  for (const std::string& file : input.files()) {
    std::size_t number = 0;
    for (; object != input.objects().end() && object->file.data() == file.data(); ++object) {
      ++number;
      if (!object->is_object)
        return unusable(file,
                        fmt::format("line {}: document {} is not an object", object->line, number));
      if (object->kind.empty())
        return unusable(file, fmt::format("line {}: object {} has no kind", object->line, number));
    }
    if (number == 0) return unusable(file, "it holds no objects");
  }
  return {};
}

}  // namespace

Result<std::vector<Manifest>> read_manifests(const std::vector<std::string>& names,
                                             std::istream& in) {
  auto input = Input::read(names, in, {.each = max_manifest_bytes, .together = max_manifest_bytes});
  if (!input && input.error().code() == base::Errc::empty)
    return bad_value(fmt::format("{}; expected {}", input.error().text(), what_is_wanted));
  if (!input) return input.error();
  if (auto fine = look_at(*input); !fine) return fine.error();
  std::map<const char*, Manifest> read;  // also what gives way to a newer state is to be JSON
  for (const Input::Object& object : input->objects()) {
    auto manifest = manifest_of(object);
    if (!manifest) return manifest.error();
    read.emplace(object.json.data(), *std::move(manifest));
  }
  keep_latest(input->objects(), false);
  std::vector<Manifest> out;
  for (const Input::Object& object : input->objects())
    out.push_back(std::move(read.at(object.json.data())));
  return out;
}

}  // namespace tpuwh::server::source
