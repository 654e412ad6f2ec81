#include "webhook/pools/node.hpp"

namespace tpuwh::webhook::pools {

namespace {

// The API server takes 63 bytes for a name and as many for a value, beside a prefix; GKE's labels
// of a node are 2 KB.
constexpr std::size_t longest_shared = 8192;

// One label behind the other.
class Walk {
 public:
  explicit Walk(std::string_view text) : rest_(text) { next(); }

  bool over() const { return over_; }
  std::string_view key() const { return key_; }
  std::string_view value() const { return value_; }
  // With both NULs, as it stands in the text.
  std::string_view whole() const { return whole_; }
  void next() {
    over_ = rest_.empty();
    if (over_) return;
    key_ = rest_.substr(0, rest_.find('\0'));
    const std::string_view behind = rest_.substr(key_.size() + 1);
    value_ = behind.substr(0, behind.find('\0'));
    whole_ = rest_.substr(0, key_.size() + value_.size() + 2);
    rest_.remove_prefix(whole_.size());
  }

 private:
  std::string_view rest_, key_, value_, whole_;
  bool over_ = false;
};

std::optional<std::string_view> find_in(std::string_view text, std::string_view key) {
  for (Walk at(text); !at.over(); at.next())
    if (at.key() == key) return at.value();
  return std::nullopt;
}

// Without the labels of `common`, which has to be in it, in its order; nothing where it is not.
std::optional<std::string> without(std::string_view text, std::string_view common) {
  std::string rest;
  Walk wanted(common);
  for (Walk at(text); !at.over(); at.next()) {
    if (wanted.over() || at.key() != wanted.key()) {
      rest.append(at.whole());
      continue;
    }
    if (at.value() != wanted.value()) return std::nullopt;
    wanted.next();
  }
  if (!wanted.over()) return std::nullopt;
  return rest;
}

}  // namespace

void Labels::add(std::string_view key, std::string_view value) {
  // One with a NUL would be read as two; the API server lets none through.
  if (key.find('\0') != key.npos || value.find('\0') != value.npos) return;
  own_.append(key).push_back('\0');
  own_.append(value).push_back('\0');
}

std::optional<std::string_view> Labels::find(std::string_view key) const {
  if (common_ != nullptr)
    if (const auto found = find_in(*common_, key)) return found;
  return find_in(own_, key);
}

void Labels::share_with(const Labels& other) {
  if (common_ != nullptr || own_.size() > longest_shared) return;
  // An API server writes labels in the order of their keys, so this is the usual way.
  if (other.common_ != nullptr)
    if (auto rest = without(own_, *other.common_)) {
      common_ = other.common_;
      own_ = std::string(*rest);
      return;
    }
  if (other.own_.size() > longest_shared) return;
  std::string alike, rest;
  for (Walk at(own_); !at.over(); at.next()) {
    const bool is = other.find(at.key()) == at.value();
    (is ? alike : rest).append(at.whole());
  }
  if (alike.size() < rest.size()) return;
  common_ = std::make_shared<const std::string>(alike);
  own_ = std::string(rest);
}

}  // namespace tpuwh::webhook::pools
