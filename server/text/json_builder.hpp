// A JSON value put together as it is parsed, for nlohmann's sax_parse(): its own looks for each key
// of an object among all before it, this one in a map. It is ordered: keys of one std::hash are
// easily made.
#pragma once

#include "base/names.hpp"
#include "base/result.hpp"
#include "server/text/json_text.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tpuwh::server::text {

class JsonBuilder {
 public:
  Json take() { return std::move(root_); }
  // Of a fault: how much was read, with what is none.
  std::size_t position() const { return position_; }
  // Where a key stands twice, of the first such.
  const std::optional<Error>& repeated() const { return repeated_; }

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(Json::number_integer_t value) { return add(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return add(value); }
  bool number_float(Json::number_float_t value, const std::string&) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(Json::binary_t& value) { return add(std::move(value)); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_array() { return close(); }
  bool start_object(std::size_t) { return open(Json::object()); }
  bool end_object() { return close(); }

  bool key(std::string& name) {
    Container& in = open_.back();
    auto& members = in.value->get_ref<Json::object_t&>();
    const auto [found, fresh] = place(in, members, name);
    if (fresh) members.emplace_back(std::move(name), Json());
    in.member = found;
    if (!fresh && !repeated_) repeated_ = error_here();
    return true;
  }

  // What was read last may be a password or a key: where it stands is all that is said of it.
  template <class Exception>
  bool parse_error(std::size_t position, const std::string&, const Exception&) {
    position_ = position;
    return false;
  }

 private:
  // Of more members than these, their places are kept.
  static constexpr std::size_t few = 16;

  struct Container {
    Json* value;
    std::size_t member = 0;  // that the next value belongs to
    std::map<std::string, std::size_t> places = {};
  };

  // Which member is called so, and whether it is yet to be added.
  static std::pair<std::size_t, bool> place(Container& in, const Json::object_t& members,
                                            const std::string& name) {
    if (members.size() < few) {
      const auto found = std::ranges::find(
          members, name, [](const auto& each) -> const std::string& { return each.first; });
      return {static_cast<std::size_t>(found - members.begin()), found == members.end()};
    }
    if (in.places.empty())
      for (const auto& each : members) in.places.emplace(each.first, in.places.size());
    const auto [found, fresh] = in.places.emplace(name, members.size());
    return {found->second, fresh};
  }

  // Of the member that was named last, its path.
  Error error_here() const {
    Error out(base::Errc::duplicate_key, "duplicate key");
    for (std::size_t i = open_.size(); i-- > 0;) {
      const Json& value = *open_[i].value;
      if (value.is_array())
        out = std::move(out).within("[" + std::to_string(value.size() - 1) + "]");
      else
        out = std::move(out).within(
            base::printable(std::next(value.begin(), offset(open_[i])).key()));
    }
    return out;
  }
  static std::ptrdiff_t offset(const Container& in) {
    return static_cast<std::ptrdiff_t>(in.member);
  }

  Json* put(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    const Container& in = open_.back();
    if (in.value->is_array()) return &in.value->emplace_back(std::move(value));
    auto& members = in.value->get_ref<Json::object_t&>();
    Json& member = (members.begin() + offset(in))->second;
    member = std::move(value);
    return &member;
  }
  bool add(Json value) { return put(std::move(value)), true; }
  bool open(Json value) {
    open_.push_back({put(std::move(value))});
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  Json root_;
  std::vector<Container> open_;  // the value of one does not grow while it holds an open one
  std::size_t position_ = 0;
  std::optional<Error> repeated_;
};

}  // namespace tpuwh::server::text
