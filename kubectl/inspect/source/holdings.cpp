#include "kubectl/inspect/source/holdings.hpp"

#include "base/counted.hpp"
#include "base/names.hpp"
#include "webhook/workloads/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::source {

namespace {

constexpr std::string_view item_without_kind = "item without kind";
constexpr std::string_view item_no_object = "item that is not an object";
constexpr std::size_t most_kinds = 12;

// In the plural where there are several.
std::string counted(std::size_t number, std::string_view kind) {
  if (number > 1 && kind == item_without_kind) return fmt::format("{} items without kind", number);
  if (number > 1 && kind == item_no_object)
    return fmt::format("{} items that are not objects", number);
  return base::counted(number, base::printable(kind, 100));
}

bool is_one_of(std::string_view kind, std::initializer_list<std::string_view> kinds) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

// What is no object of a cluster, or not the one that was meant.
std::string_view what_it_is(std::string_view kind, bool of_a_manifest) {
  if (kind == "Table") return "columns for people; expected -o json";
  if (kind == "AdmissionReview") return "kubectl tpu review answers it";
  if (kind == "Status") return "an API server's report of a failure";
  if (kind.starts_with("PartialObjectMetadata")) return "only names and labels";
  return of_a_manifest && webhook::workloads::is_checked(kind)
             ? "a manifest, which kubectl tpu explain reads"
             : std::string_view();
}

std::string listed(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i)
    out += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return out;
}

}  // namespace

Holdings::Holdings(std::span<const Input::Object> objects) {
  std::string kind;
  Count* count = nullptr;  // neighbours are of one kind
  for (const Input::Object& object : objects) {
    std::string of = kind_of(object);
    if (count == nullptr || of != kind) {
      kind = std::move(of);
      count = &counts_[kind];
    }
    ++count->all;
    count->without_uid += object.uid.empty() ? 1 : 0;
  }
}

std::string Holdings::kind_of(const ReadObject& object) {
  if (!object.is_object) return std::string(item_no_object);
  if (object.kind.empty()) return std::string(item_without_kind);
  const bool of_another_group =
      !object.group().empty() &&
      is_one_of(object.kind, {"Pod", "Node", "Service", "ConfigMap", "Namespace"});
  return of_another_group ? fmt::format("{}.{}", object.kind, object.group())
                          : std::string(object.kind);
}

std::string Holdings::words_without(std::span<const std::string_view> left) const {
  std::vector<std::string> words;
  std::size_t more = 0;
  for (const auto& [kind, count] : counts_) {
    if (std::ranges::find(left, kind) != left.end()) continue;
    if (words.size() == most_kinds) {
      ++more;
      continue;
    }
    const std::string_view is = what_it_is(kind, count.without_uid > 0);
    words.push_back(counted(count.all, kind) + (is.empty() ? "" : fmt::format(" ({})", is)));
  }
  if (more > 0) words.push_back(fmt::format("objects of {} more kinds", more));
  return listed(words);
}

}  // namespace tpuwh::server::source
