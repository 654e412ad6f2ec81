#include "server/kube/access/kubeconfig_file.hpp"

#include "base/names.hpp"
#include "server/kube/access/errc.hpp"
#include "server/kube/access/small_file.hpp"
#include "server/text/base64.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <set>

namespace tpuwh::server::kube::access {

namespace {

namespace fs = std::filesystem;

// "/users/0/user" as people write it: users[0].user.
std::string dotted(const std::string& pointer) {
  std::string out;
  for (std::size_t at = 0; at < pointer.size();) {
    const std::size_t end = std::min(pointer.find('/', at + 1), pointer.size());
    const std::string part = pointer.substr(at + 1, end - at - 1);
    if (base::plain_decimal(part))
      out += "[" + part + "]";
    else
      out += (out.empty() ? "" : ".") + part;
    at = end;
  }
  return out;
}

// As kubectl has it, a key with nothing behind it is one that is not there.
const Json* find_value(const Json& object, const std::string& key) {
  const Json* found = text::find_member(object, key);
  return found == nullptr || found->is_null() ? nullptr : found;
}

// Secrets stand in these files, so a message names the type and never the value.
std::string found(const Json& value) {
  return fmt::format("got {}", value.type_name());
}

Result<std::shared_ptr<const KubeconfigFile>> read_kubeconfig_file(const std::string& path) {
  auto text = read_file(path);
  if (!text) return text.error();
  auto file = std::make_shared<KubeconfigFile>();
  file->path = path;
  file->folder = fs::absolute(path).parent_path().string();
  file->document = text::parse_located_yaml(*text);
  for (const text::YamlProblem& each : file->document.problems)
    return Error(Errc::api_access, fmt::format("{}:{}: {}", path, each.line, each.what));
  const Json& value = file->document.value;
  if (!value.is_object() && !value.is_null())
    return Error(
        Errc::api_access,
        fmt::format("{}: expected a kubeconfig, a mapping of clusters, users and contexts, {}",
                    path, found(value)));
  return std::shared_ptr<const KubeconfigFile>(std::move(file));
}

}  // namespace

Error KubeconfigFile::wrong(const std::string& pointer, const std::string& what) const {
  std::string known = pointer;  // what is missing has no line, but what should hold it has
  while (!known.empty() && !document.lines.contains(known)) known.resize(known.rfind('/'));
  const int line = known.empty() ? 1 : document.lines.at(known);
  return Error(Errc::api_access, fmt::format("{}:{}: {}{}{}", path, line, dotted(pointer),
                                             pointer.empty() ? "" : ": ", what));
}

// --- fields ------------------------------------------------------------------

KubeconfigFields::KubeconfigFields(std::shared_ptr<const KubeconfigFile> file, std::string pointer)
    : file_(std::move(file)), pointer_(std::move(pointer)), object_(nullptr) {
  const Json::json_pointer at(pointer_);
  if (!file_->document.value.contains(at)) return;
  const Json& value = file_->document.value[at];
  if (value.is_object())
    object_ = &value;
  else if (!value.is_null())
    fail("", "expected a mapping, " + found(value));
}

const Json* KubeconfigFields::value(const std::string& key) const {
  return object_ == nullptr ? nullptr : find_value(*object_, key);
}

bool KubeconfigFields::has(const std::string& key) const {
  return value(key) != nullptr;
}

std::string KubeconfigFields::text(const std::string& key) {
  const Json* member = value(key);
  if (!member) return {};
  if (member->is_string()) return member->get<std::string>();
  fail(key, fmt::format("expected a string, {}{}", found(*member),
                        member->is_primitive() ? "; put it in quotes" : ""));
  return {};
}

bool KubeconfigFields::flag(const std::string& key) {
  const Json* member = value(key);
  if (!member) return false;
  if (member->is_boolean()) return member->get<bool>();
  fail(key, "expected true or false, " + found(*member));
  return false;
}

std::string KubeconfigFields::resolved(const std::string& path) const {
  return (fs::path(file_->folder) / path).lexically_normal().string();
}

std::string KubeconfigFields::path(const std::string& key) {
  const std::string given = text(key);
  return given.empty() ? given : resolved(given);
}

std::string KubeconfigFields::pem(const std::string& key, std::string_view label,
                                  std::string& file) {
  file.clear();
  if (const std::string data = text(key + "-data"); !data.empty()) {
    const auto bytes = text::decode_base64(data);
    if (bytes && holds_pem(*bytes, label)) return *bytes;
    fail(key + "-data", bytes ? fmt::format("expected PEM, -----BEGIN {}-----, in base64", label)
                              : "is not valid base64; expected PEM in base64 on one line");
    return {};
  }
  file = path(key);
  if (file.empty()) return {};
  auto bytes = read_pem_file(file, label);
  if (bytes) return std::move(*bytes);
  fail(key, bytes.error().message());
  return {};
}

KubeconfigFields KubeconfigFields::at(const std::string& key) const {
  return KubeconfigFields(file_, pointer_ + "/" + key);
}

Error KubeconfigFields::wrong(const std::string& key, const std::string& what) const {
  return file_->wrong(key.empty() ? pointer_ : pointer_ + "/" + key, what);
}

std::string KubeconfigFields::place() const {
  const auto line = file_->document.lines.find(pointer_);
  return fmt::format("{}:{}", file_->path, line == file_->document.lines.end() ? 1 : line->second);
}

void KubeconfigFields::fail(const std::string& key, const std::string& what) {
  if (!error_) error_ = wrong(key, what);
}

// --- several files -----------------------------------------------------------

Result<Kubeconfig> Kubeconfig::load(const std::vector<std::string>& files) {
  Kubeconfig merged;
  for (const std::string& path : files) {
    std::error_code ignored;
    if (path.empty() || !fs::exists(path, ignored)) continue;
    auto file = read_kubeconfig_file(path);
    if (!file) return file.error();
    if (auto wrong = merged.add(*file)) return *wrong;
  }
  return merged;
}

std::string Kubeconfig::files() const {
  return fmt::format("{}", fmt::join(files_, ":"));
}

std::optional<Error> Kubeconfig::add(const std::shared_ptr<const KubeconfigFile>& file) {
  files_.push_back(file->path);
  KubeconfigFields top(file, "");
  if (current_context_.empty()) current_context_ = top.text("current-context");
  if (top.error()) return top.error();
  if (auto wrong = add_list(file, "contexts", "context", contexts_)) return wrong;
  if (auto wrong = add_list(file, "clusters", "cluster", clusters_)) return wrong;
  return add_list(file, "users", "user", users_);
}

std::optional<Error> Kubeconfig::add_list(const std::shared_ptr<const KubeconfigFile>& file,
                                          const std::string& list, const std::string& inner,
                                          Entries& entries) {
  const Json* items = find_value(file->document.value, list);
  if (!items) return std::nullopt;
  if (!items->is_array()) return file->wrong("/" + list, "expected a list, " + found(*items));
  std::set<std::string> names;
  for (std::size_t i = 0; i < items->size(); ++i) {
    KubeconfigFields item(file, fmt::format("/{}/{}", list, i));
    const std::string name = item.text("name");
    if (item.error()) return item.error();
    if (!names.insert(name).second)
      return item.wrong("name", fmt::format("\"{}\" is in this list twice", base::printable(name)));
    KubeconfigFields fields = item.at(inner);
    if (fields.error()) return fields.error();
    entries.try_emplace(name, std::move(fields));
  }
  return std::nullopt;
}

}  // namespace tpuwh::server::kube::access
