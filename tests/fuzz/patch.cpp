#include "webhook/write/patch.hpp"
#include "kubectl/text/base64.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/support/strict_patch.hpp"
#include "webhook/reasons/declared.hpp"

#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tpuwh::fuzz {

namespace building {  // beside the other targets, which have a Json of their own
namespace {

using nlohmann::json;
using namespace webhook::write;

// Takes numbers and texts off the front of the input; of one that is over, nothing.
class Source {
 public:
  explicit Source(std::string_view bytes) : bytes_(bytes) {}

  bool is_over() const { return bytes_.empty(); }
  std::uint8_t number() {
    if (bytes_.empty()) return 0;
    const auto out = static_cast<std::uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    return out;
  }
  // UTF-8, as every text of a review that was read: what is no ASCII becomes U+0080 to U+00FF.
  std::string text() {
    std::string out;
    for (std::size_t left = std::min<std::size_t>(number(), bytes_.size()); left > 0; --left) {
      const std::uint8_t byte = number();
      if (byte < 0x80)
        out += static_cast<char>(byte);
      else
        out += {static_cast<char>(0xC0 | byte >> 6), static_cast<char>(0x80 | (byte & 0x3F))};
    }
    return out;
  }

 private:
  std::string_view bytes_;
};

// One operation: what the builder is told, by values.
struct Told {
  PatchOp op = PatchOp::add;
  Surface row = Surface::labels;
  Marks marks = Marks::none;
  std::uint32_t outer = 0, inner = 0;
  std::string key, value;
  enum class Kind { string, object, shared } kind = Kind::string;
};

const SurfaceRow& row_of(const Told& told) {
  return surface()[static_cast<std::size_t>(told.row)];
}

// The prefix is the builder's own to fill in.
Marks given(Marks marks) {
  return marks == Marks::prefix ? Marks::none : marks;
}

bool is_declared(const Told& told) {
  const SurfaceRow& row = row_of(told);
  const bool allowed = told.op == row.op || (told.op == PatchOp::replace && row.also_replace);
  return allowed && given(told.marks) == given(spelling(told.row).marks) &&
         (told.marks != Marks::key || !told.key.empty());
}

Told tell(Source& source) {
  constexpr std::uint8_t wrong = 13;  // one of so many
  Told out;
  out.row = static_cast<Surface>(source.number() % static_cast<std::uint8_t>(Surface::count_));
  out.marks = spelling(out.row).marks;
  out.op = row_of(out).op;
  const std::uint8_t choice = source.number();
  if (choice % 2 == 1 && row_of(out).also_replace) out.op = PatchOp::replace;
  if (choice % wrong == wrong - 1) out.op = static_cast<PatchOp>(source.number() % 3);
  if (choice % wrong == wrong - 2) out.marks = static_cast<Marks>(source.number() % 5);
  out.outer = source.number() % 4u;
  out.inner = source.number() % 4u;
  if (out.marks == Marks::key) out.key = source.text();
  out.kind = static_cast<Told::Kind>(source.number() % 3);
  out.value = source.text();
  return out;
}

json value_of(const Told& told) {
  if (told.kind == Told::Kind::object) return {{"name", told.value}, {"weight", told.outer}};
  return told.value;
}

// The pointer by the words of the table; a library escapes its parts.
std::string path_of(const Told& told, const std::string& prefix) {
  json::json_pointer out;
  std::vector<std::uint32_t> indices{told.inner, told.outer};
  if (told.marks == Marks::index) indices = {told.outer};
  std::string_view left = row_of(told).path.substr(1);
  for (;;) {
    std::string part(left.substr(0, left.find('/')));
    const std::size_t size = part.size();
    if (part == "*") {
      part = std::to_string(indices.back());
      indices.pop_back();
    } else if (part == "<key>") {
      part = told.key;
    } else if (part.starts_with("<prefix>")) {
      part = prefix + part.substr(std::string_view("<prefix>").size());
    }
    out /= part;
    if (size == left.size()) return out.to_string();
    left.remove_prefix(size + 1);
  }
}

json operation_of(const Told& told, const std::string& prefix) {
  json out = {{"op", name(told.op)}, {"path", path_of(told, prefix)}};
  if (told.op != PatchOp::remove) out["value"] = value_of(told);
  return out;
}

// Texts that are shared stay until the patch is encoded: of each value one.
using Texts = std::deque<SharedTexts>;

void write(const Told& told, Patch& patch, Texts& texts) {
  switch (told.marks) {
    case Marks::none:
    case Marks::prefix:
      patch.begin(told.op, told.row);
      break;
    case Marks::key:
      patch.begin(told.op, told.row, told.key);
      break;
    case Marks::index:
      patch.begin(told.op, told.row, told.outer);
      break;
    case Marks::two_indices:
      patch.begin(told.op, told.row, told.outer, told.inner);
      break;
  }
  if (told.op == PatchOp::remove) return patch.end();
  const auto value = [&](Json& out) { out << as_string(told.value); };
  if (told.kind == Told::Kind::shared)
    patch.append(texts.emplace_back().get("value", value));
  else if (told.kind == Told::Kind::object)
    patch.json() << "{\"name\":\"" << in_string(told.value) << "\",\"weight\":" << told.outer
                 << "}";
  else
    value(patch.json());
  patch.end();
}

// A Pod with something at most of the places where an operation may go.
json a_pod() {
  return json::parse(R"({"metadata":{"labels":{"replicaIndex":"a"},"annotations":{}},
    "spec":{"hostname":"h","nodeSelector":{"a":"b"},"affinity":{"nodeAffinity":{
      "requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{},{"matchExpressions":[]}]},
      "preferredDuringSchedulingIgnoredDuringExecution":[]},"podAntiAffinity":{}},
    "containers":[{"env":[]},{"env":[{"name":"A","value":"1"},{"name":"B"}]},{}],
    "initContainers":[{"env":[{"name":"A"}]}]}})");
}

// What the strict applier takes, the library takes, and makes the same of it.
void require_same_effect(const json& operations) {
  json ours = a_pod();
  for (const json& each : operations) {
    json strictly = ours;
    if (!test::apply_strictly(strictly, json::array({each})).empty()) continue;
    json library;
    try {
      library = ours.patch(json::array({each}));
    } catch (const json::exception& error) {
      require(false, "the library refuses " + each.dump() + ": " + error.what());
    }
    require(strictly == library, each.dump() + ": " + strictly.dump() + "\n" + library.dump());
    ours = std::move(strictly);
  }
}

// All of it, written into `patch`, whatever that has been before.
void write_all(const std::vector<Told>& all, const std::string& prefix, Patch& patch,
               Texts& texts) {
  patch.clear(prefix);
  for (const Told& each : all) write(each, patch, texts);
}

void require_patch(const std::vector<Told>& all, const std::string& prefix, Patch& patch) {
  Texts texts;
  write_all(all, prefix, patch, texts);
  const bool declared = std::ranges::all_of(all, is_declared);
  require(patch.is_spoiled() == !declared, declared ? "spoiled" : "not spoiled");
  if (!declared) return;
  json expected = json::array();
  for (const Told& each : all) {
    expected.push_back(operation_of(each, prefix));
    const auto path = expected.back()["path"].get<std::string>();
    require(webhook::reasons::allows(surface()[static_cast<std::size_t>(each.row)], each.op, path,
                                     patch.escaped_prefix()),
            "not allowed: " + path);
  }
  require(patch.dropped_bytes() == 0, "dropped");
  const std::string text(patch.finish());
  require(text.empty() ? all.empty() : json::parse(text) == expected,
          text + "\nexpected: " + expected.dump());
  require_same_effect(expected);
  // As it travels, and from operations that another one shares.
  write_all(all, prefix, patch, texts);
  Json sent;
  patch.encode(sent);
  require(server::text::decode_base64(sent.view()) == text,
          "as base64: " + std::string(sent.view()));
  write_all(all, prefix, patch, texts);
  SharedTexts others;
  Patch copy;
  copy.clear(prefix);
  if (!all.empty())
    copy.append_operations(
        others.get("operations", [&](Json& out) { patch.append_operations_to(out); }));
  require(!copy.is_spoiled(), "a copy is spoiled");
  const std::string copied(copy.finish());
  require(copied.empty() ? all.empty() : json::parse(copied) == expected, "copied: " + copied);
}

void run(std::string_view bytes) {
  constexpr std::size_t most = 12;  // operations of a patch
  const std::string prefixes[] = {"tpu-webhook.dev/", "a~1b/"};
  Source source(bytes);
  Patch kept;
  while (!source.is_over()) {
    const std::string& prefix = prefixes[source.number() % std::size(prefixes)];
    std::vector<Told> all;
    for (std::size_t left = source.number() % most; left > 0; --left) all.push_back(tell(source));
    require_patch(all, prefix, kept);
  }
}

}  // namespace
}  // namespace building

void patch(std::string_view bytes) {
  building::run(bytes);
}

}  // namespace tpuwh::fuzz
