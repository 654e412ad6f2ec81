#include "kubectl/reference/fields/unseen.hpp"

#include "kubectl/reference/fields/table.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace tpuwh::server::fields {

namespace {

// A type's rows by the steps of their paths.
struct Step {
  std::map<std::string, Step, std::less<>> below;
  const Row* row = nullptr;  // where a path ends
};

class Steps {
 public:
  Steps() {
    for (const Type& type : types()) {
      Step& root = of_[type.name];
      for (const Row& row : type.rows) add(row, root);
    }
  }
  const Step& of(const Type& type) const { return of_.find(type.name)->second; }

 private:
  static void add(const Row& row, Step& root) {
    Step* step = &root;
    std::string_view rest = row.path;
    for (;;) {
      const auto dot = rest.find('.');
      step = &step->below[std::string(rest.substr(0, dot))];
      if (dot == std::string_view::npos) break;
      rest.remove_prefix(dot + 1);
    }
    step->row = &row;
  }

  std::map<std::string_view, Step> of_;
};

const Steps& steps() {
  static const Steps all;
  return all;
}

// Where a value stands, as it is told: written out only of what is listed.
struct Place {
  const Place* above = nullptr;
  std::string_view name;  // of a field; "" for an element of a list
  std::string_view told;  // of a type that begins anew; else ""
};

bool sets_nothing(const Json& value) {
  return value.is_null() || ((value.is_object() || value.is_array()) && value.empty());
}

class Walk {
 public:
  using Times = std::map<std::pair<std::string, std::string>, std::uint64_t>;
  explicit Walk(Times& times) : times_(times) {}

  void object(const Json& value, const Type& type, const Place& place) {
    fields(value, steps().of(type), place);
  }

 private:
  void fields(const Json& value, const Step& step, const Place& place) {
    if (value.is_array()) {
      const Place element{&place, {}, {}};
      for (const Json& each : value) fields(each, step, element);
      return;
    }
    if (!value.is_object()) return;
    for (const auto& [name, below] : value.items()) {
      if (sets_nothing(below)) continue;
      const Place here{&place, name, {}};
      const auto found = step.below.find(name);
      if (found == step.below.end())
        note(here);
      else
        field(below, found->second, here);
    }
  }

  void field(const Json& value, const Step& step, const Place& here) {
    if (step.row == nullptr) return fields(value, step, here);
    if (step.row->look == Look::unseen) return note(here);
    if (step.row->look == Look::inside) inside(value, *find_type(step.row->type), here);
  }

  void inside(const Json& value, const Type& type, const Place& here) {
    if (!type.told.empty()) return object(value, type, {nullptr, {}, type.told});
    object(value, type, here);
  }

  void note(const Place& place) { ++times_[told(place)]; }

  // What begins anew is "Pod", or "RayCluster spec": a kind and the path that it has there.
  static std::pair<std::string, std::string> told(const Place& place) {
    std::string path;
    const Place* at = &place;
    for (; at->above != nullptr; at = at->above)
      path = at->name.empty() ? "[*]" + path : "." + std::string(at->name) + path;
    const auto blank = at->told.find(' ');
    std::string kind(at->told.substr(0, blank));
    if (blank != std::string_view::npos)
      path = "." + std::string(at->told.substr(blank + 1)) + path;
    return {std::move(kind), path.substr(1)};
  }

  Times& times_;
};

}  // namespace

std::string Unseen::words() const {
  return times == 1 ? fmt::format("{}: {}", kind, path)
                    : fmt::format("{}: {} ({} times)", kind, path, times);
}

void UnseenFields::add(const Json& object) {
  const Type* type = find_type(text::text_member(object, "kind"));
  if (type == nullptr || type->told.empty()) return;
  Walk(times_).object(object, *type, {nullptr, {}, type->told});
}

std::vector<Unseen> UnseenFields::list() const {
  std::vector<Unseen> out;
  for (const auto& [field, times] : times_) out.push_back({field.first, field.second, times});
  return out;
}

}  // namespace tpuwh::server::fields
