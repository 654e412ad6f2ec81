#include "kubectl/inspect/source/latest.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

namespace tpuwh::server::source {

namespace {

// What objects of one name have alike; an API's versions are of one group.
auto name_of(const Input::Object& object) {
  return std::make_tuple(object.kind, object.group(), object.ns, object.name);
}

// What states of one object have alike.
auto identity_of(const Input::Object& object) {
  return std::tuple_cat(name_of(object), std::make_tuple(object.uid));
}

// Numbers without limit, of one length order as texts do. One that is none is the oldest.
std::pair<std::size_t, std::string_view> age(const Input::Object& object) {
  std::string_view version = object.resource_version;
  if (version.find_first_not_of("0123456789") != std::string_view::npos) return {};
  version.remove_prefix(std::min(version.find_first_not_of('0'), version.size()));
  return {version.size(), version};
}

// The states of each object together, from the oldest to the newest; then the objects of a name.
class States {
 public:
  States(std::vector<Input::Object>& objects, bool by_name)
      : objects_(objects), gone_(objects.size()) {
    for (std::size_t i = 0; i < objects.size(); ++i)
      if (!objects[i].uid.empty() || (by_name && !objects[i].name.empty())) order_.push_back(i);
    std::ranges::sort(order_, [&](std::size_t a, std::size_t b) {
      const auto one = identity_of(objects_[a]), other = identity_of(objects_[b]);
      return one != other ? one < other : is_older(a, b);
    });
  }

  void drop_older() {
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const Input::Object& object = objects_[order_[i]];
      const Input::Object* next = i + 1 < order_.size() ? &objects_[order_[i + 1]] : nullptr;
      const bool older = next != nullptr && identity_of(object) == identity_of(*next);
      gone_[order_[i]] = older || object.deleted;
      // Without uids nobody knows that they are one.
      if (older && object.uid.empty() && object.json != next->json) ++replaced_;
    }
  }

  void drop_namesakes() {
    std::optional<std::size_t> newest;
    for (const std::size_t i : order_) {
      if (gone_[i]) continue;
      const bool namesake =
          newest && !objects_[i].name.empty() && name_of(objects_[*newest]) == name_of(objects_[i]);
      if (!namesake) {
        newest = i;
        continue;
      }
      ++replaced_;
      gone_[is_older(*newest, i) ? *newest : i] = true;
      if (gone_[*newest]) newest = i;
    }
  }

  std::size_t take() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < objects_.size(); ++i)
      if (!gone_[i]) objects_[kept++] = objects_[i];
    objects_.resize(kept);
    return replaced_;
  }

 private:
  bool is_older(std::size_t a, std::size_t b) const {
    const auto one = age(objects_[a]), other = age(objects_[b]);
    return one != other ? one < other : a < b;
  }

  std::vector<Input::Object>& objects_;
  std::vector<bool> gone_;
  std::vector<std::size_t> order_;
  std::size_t replaced_ = 0;
};

}  // namespace

std::size_t keep_latest(std::vector<Input::Object>& objects, bool by_name) {
  States states(objects, by_name);
  states.drop_older();
  if (by_name) states.drop_namesakes();
  return states.take();
}

}  // namespace tpuwh::server::source
