#include "webhook/facts/provenance.hpp"

#include "base/names.hpp"
#include "webhook/facts/shape.hpp"

#include <algorithm>

namespace tpuwh::webhook::facts {

namespace {

constexpr std::string_view version = "v1";

// More than any record of ours has; looking one up takes as long as there are many.
constexpr std::size_t max_entries = max_tpu_containers * read::variable_count;

// Most are asked about the name that was there before, the very same text.
bool same_name(std::string_view a, std::string_view b) {
  return (a.data() == b.data() && a.size() == b.size()) || a == b;
}

// What stands before `separator`; both leave `text`.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view part = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return part;
}

// Parts that are empty, of which there may be as many as the text has bytes.
void skip_empty(std::string_view& text, char separator) {
  std::size_t empty = 0;
  while (empty < text.size() && text[empty] == separator) ++empty;
  text.remove_prefix(empty);
}

}  // namespace

void Provenance::clear() {
  entries_.clear();
  inputs_ = {};
  parsed_ = foreign_ = false;
}

void Provenance::parse(std::string_view annotation) {
  clear();
  const std::string_view written_by = take_until(annotation, ';');
  // "v2", "v17": written by a later release in a form of its own.
  foreign_ = written_by != version && written_by.size() > 1 && written_by.front() == 'v' &&
             base::plain_decimal(written_by.substr(1)).has_value();
  if (written_by != version) return;
  inputs_ = take_until(annotation, ';');
  parsed_ = inputs_.size() == base::Digest().size();
  while (parsed_ && !annotation.empty()) {
    skip_empty(annotation, ';');
    std::string_view list = take_until(annotation, ';');
    if (list.size() <= base::Digest().size()) continue;
    const std::string_view container = take_until(list, ':');
    // No record of ours has another, and looking one up compares it with each.
    if (!base::is_dns_label(container)) continue;
    while (!list.empty()) {
      skip_empty(list, ',');
      std::string_view item = take_until(list, ',');
      base::Digest digest;
      if (item.size() <= digest.size()) continue;
      const auto variable = read::find_variable(take_until(item, '='));
      if (!variable || item.size() != digest.size()) continue;
      if (entries_.size() == max_entries) return;
      std::ranges::copy(item, digest.begin());
      entries_.push_back({container, *variable, digest});
    }
  }
}

void Provenance::set_inputs(const base::Digest& inputs) {
  own_inputs_ = inputs;
  inputs_ = base::view(own_inputs_);
}

void Provenance::record(std::string_view container, read::Variable variable,
                        std::string_view value) {
  record(container, variable, base::digest(value));
}

void Provenance::record(std::string_view container, read::Variable variable,
                        const base::Digest& digest) {
  // The separators of the format stand in no container name that an API server takes.
  const bool known = !entries_.empty() && same_name(entries_.back().container, container);
  if (known || base::is_dns_label(container)) entries_.push_back({container, variable, digest});
}

const Provenance::Entry* Provenance::find(std::string_view container,
                                          read::Variable variable) const {
  for (const Entry& entry : entries_)
    if (entry.variable == variable && same_name(entry.container, container)) return &entry;
  return nullptr;
}

void Provenance::append_to(base::Buffer& out) const {
  out.add(version, ';', inputs_);
  std::string_view container;
  for (const Entry& entry : entries_) {
    if (same_name(entry.container, container)) {
      out.append(',');
    } else {
      out.add(';', entry.container, ':');
      container = entry.container;
    }
    out.add(read::name(entry.variable), '=', base::view(entry.digest));
  }
}

}  // namespace tpuwh::webhook::facts
