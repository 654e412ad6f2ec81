#include "tests/unit/kubectl/reference/rules/cel.hpp"

#include <algorithm>
#include <cctype>
#include <deque>
#include <utility>
#include <vector>

namespace tpuwh::test::cel {

// `text` is an operator or the name of a field, a variable, a function; `args` what it is of, first
// the target.
struct Expression::Node {
  enum class Kind { literal, list, name, field, optional_field, index, optional_index, call, op };
  Kind kind = Kind::literal;
  std::string text = {};
  Json value = {};
  std::vector<std::unique_ptr<Node>> args = {};
};

class Expression::Parser {
 public:
  using Kind = Node::Kind;
  using Made = std::unique_ptr<Node>;

  explicit Parser(std::string_view text) : text_(text) {}

  Made whole() {
    Made out = ternary();
    if (!at_end()) fail("the end");
    return out;
  }

 private:
  static Made node(Kind kind, std::string text, std::vector<Made> args = {}) {
    auto out = std::make_unique<Node>();
    out->kind = kind;
    out->text = std::move(text);
    out->args = std::move(args);
    return out;
  }
  template <class... Args>
  static Made of(Kind kind, std::string text, Args... args) {
    std::vector<Made> all;
    (all.push_back(std::move(args)), ...);
    return node(kind, std::move(text), std::move(all));
  }

  Made ternary() {
    Made out = disjunction();
    if (!take("?")) return out;
    Made then = disjunction();
    need(":");
    return of(Kind::op, "?", std::move(out), std::move(then), ternary());
  }

  Made disjunction() {
    Made out = conjunction();
    while (take("||")) out = of(Kind::op, "||", std::move(out), conjunction());
    return out;
  }

  Made conjunction() {
    Made out = relation();
    while (take("&&")) out = of(Kind::op, "&&", std::move(out), relation());
    return out;
  }

  Made relation() {
    Made out = unary();
    for (const char* op : {"==", "!=", ">", "in "})
      if (take(op)) return of(Kind::op, op, std::move(out), unary());
    return out;
  }

  Made unary() {
    skip();
    if (peek() == '!' && text_.substr(at_, 2) != "!=") {
      ++at_;
      return of(Kind::op, "!", unary());
    }
    return member();
  }

  Made member() {
    Made out = primary();
    for (;;) {
      if (take(".?")) {
        out = of(Kind::optional_field, name(), std::move(out));
      } else if (take(".")) {
        std::string word = name();
        if (take("("))
          out = call(std::move(word), std::move(out));
        else
          out = of(Kind::field, std::move(word), std::move(out));
      } else if (take("[?")) {
        out = of(Kind::optional_index, "", std::move(out), ternary());
        need("]");
      } else if (take("[")) {
        out = of(Kind::index, "", std::move(out), ternary());
        need("]");
      } else {
        return out;
      }
    }
  }

  Made call(std::string word, Made target) {
    Made out = of(Kind::call, std::move(word), std::move(target));
    while (!take(")")) {
      out->args.push_back(ternary());
      take(",");
    }
    return out;
  }

  Made primary() {
    skip();
    const char c = peek();
    if (take("(")) {
      Made out = ternary();
      need(")");
      return out;
    }
    if (take("[")) {
      Made out = node(Kind::list, "");
      while (!take("]")) {
        out->args.push_back(ternary());
        take(",");
      }
      return out;
    }
    if (take("{")) {
      need("}");
      return literal(Json::object());
    }
    if (c == '\'') return literal(quoted());
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) return literal(number());
    std::string word = name();
    if (word == "true" || word == "false") return literal(word == "true");
    if (word == "null") return literal(nullptr);
    if (word == "has" && take("(")) {
      Made out = of(Kind::call, word, ternary());
      need(")");
      return out;
    }
    return node(Kind::name, std::move(word));
  }

  static Made literal(Json value) {
    Made out = node(Kind::literal, "");
    out->value = std::move(value);
    return out;
  }

  std::string quoted() {
    const std::size_t end = text_.find('\'', at_ + 1);
    if (end == text_.npos) fail("a quote");
    const std::string out(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return out;
  }

  int number() {
    int out = 0;
    while (std::isdigit(static_cast<unsigned char>(peek())) != 0)
      out = 10 * out + (text_[at_++] - '0');
    return out;
  }

  std::string name() {
    skip();
    const std::size_t begin = at_;
    while (std::isalnum(static_cast<unsigned char>(peek())) != 0 || peek() == '_') ++at_;
    if (at_ == begin) fail("a name");
    return std::string(text_.substr(begin, at_ - begin));
  }

  bool take(std::string_view token) {
    skip();
    if (text_.substr(at_, token.size()) != token) return false;
    // "." is none of ".?", "[" none of "[?", "?" and ":" stand alone.
    at_ += token.size();
    return true;
  }

  void need(std::string_view token) {
    if (!take(token)) fail(token);
  }

  [[noreturn]] void fail(std::string_view wanted) const {
    throw std::invalid_argument("CEL: expected " + std::string(wanted) + " at: " +
                                std::string(text_.substr(std::min(at_, text_.size()), 40)));
  }

  void skip() {
    while (std::isspace(static_cast<unsigned char>(peek())) != 0) ++at_;
  }
  bool at_end() {
    skip();
    return at_ == text_.size();
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  std::string_view text_;
  std::size_t at_ = 0;
};

class Expression::Evaluation {
 public:
  using Kind = Node::Kind;

  explicit Evaluation(const Json& object) { names_.emplace_back("object", &object); }

  bool truth(const Node& node) {
    const Json& value = *of(node);
    if (!value.is_boolean()) throw EvaluationError("no such overload: " + value.dump());
    return value.get<bool>();
  }

 private:
  // Null pointer: an optional that has none.
  const Json* of(const Node& node) {
    switch (node.kind) {
      case Kind::literal:
        return &node.value;
      case Kind::list: {
        Json out = Json::array();
        for (const auto& each : node.args) out.push_back(*of(*each));
        return keep(std::move(out));
      }
      case Kind::name:
        return named(node.text);
      case Kind::field:
        return member(*of(*node.args[0]), node.text);
      case Kind::optional_field: {
        const Json* target = of(*node.args[0]);
        return target == nullptr || !target->contains(node.text) ? nullptr : &target->at(node.text);
      }
      case Kind::index:
        return element(*of(*node.args[0]), *of(*node.args[1]));
      case Kind::optional_index: {
        const Json &target = *of(*node.args[0]), &key = *of(*node.args[1]);
        const auto found = target.find(key.get<std::string>());
        return found == target.end() ? nullptr : &*found;
      }
      case Kind::call:
        return call(node);
      case Kind::op:
        return op(node);
    }
    throw EvaluationError("no such node");
  }

  const Json* named(const std::string& name) const {
    for (auto each = names_.rbegin(); each != names_.rend(); ++each)
      if (each->first == name) return each->second;
    throw EvaluationError("undeclared reference to " + name);
  }

  static const Json* member(const Json& target, const std::string& name) {
    if (!target.is_object() || !target.contains(name))
      throw EvaluationError("no such key: " + name);
    return &target.at(name);
  }

  static const Json* element(const Json& target, const Json& at) {
    if (!target.is_array() || !at.is_number() || at.get<std::size_t>() >= target.size())
      throw EvaluationError("index out of bounds");
    return &target.at(at.get<std::size_t>());
  }

  const Json* call(const Node& node) {
    if (node.text == "has") {
      const Node& field = *node.args[0];
      const Json& target = *of(*field.args.at(0));
      return keep(target.is_object() && target.contains(field.text));
    }
    const Json* target = of(*node.args[0]);
    if (node.text == "orValue") return target != nullptr ? target : of(*node.args[1]);
    if (target == nullptr) throw EvaluationError("optional.none() dereference");
    if (node.text == "size") {
      if (!target->is_array() && !target->is_object())
        throw EvaluationError("no such overload: size");
      return keep(target->size());
    }
    if (node.text == "startsWith")
      return keep(target->get<std::string>().starts_with(of(*node.args[1])->get<std::string>()));
    if (node.text == "contains")
      return keep(target->get<std::string>().find(of(*node.args[1])->get<std::string>()) !=
                  std::string::npos);
    if (node.text == "exists") return keep(exists(*target, node.args[1]->text, *node.args[2]));
    if (node.text == "filter") return filter(*target, node.args[1]->text, *node.args[2]);
    throw EvaluationError("no such function: " + node.text);
  }

  // Elements of a list, keys of a map.
  template <class Do>
  static void each_of(const Json& target, Do&& act) {
    if (target.is_object()) {
      for (const auto& [key, value] : target.items()) act(Json(key));
    } else if (target.is_array()) {
      for (const Json& each : target) act(each);
    } else {
      throw EvaluationError("no such overload: range of " + target.dump());
    }
  }

  bool exists(const Json& target, const std::string& name, const Node& condition) {
    bool any = false;
    std::string error;
    const std::size_t names = names_.size();
    each_of(target, [&](const Json& each) {
      if (any) return;
      names_.emplace_back(name, &each);
      try {
        any = truth(condition);
      } catch (const EvaluationError& wrong) {
        error = wrong.what();
      }
      names_.resize(names);
    });
    if (!any && !error.empty()) throw EvaluationError(error);
    return any;
  }

  const Json* filter(const Json& target, const std::string& name, const Node& condition) {
    Json out = Json::array();
    each_of(target, [&](const Json& each) {
      names_.emplace_back(name, &each);
      const bool chosen = truth(condition);
      names_.pop_back();
      if (chosen) out.push_back(each);
    });
    return keep(std::move(out));
  }

  const Json* op(const Node& node) {
    const Node& first = *node.args[0];
    if (node.text == "!") return keep(!truth(first));
    if (node.text == "?") return of(*node.args[truth(first) ? 1 : 2]);
    const Node& second = *node.args[1];
    if (node.text == "||") return keep(decided(first, second, true));
    if (node.text == "&&") return keep(decided(first, second, false));
    const Json &one = *of(first), &other = *of(second);
    if (node.text == "==") return keep(one == other);
    if (node.text == "!=") return keep(one != other);
    if (node.text == ">") return keep(one > other);
    return keep(other.contains(one.get<std::string>()));  // in
  }

  // One side that decides is enough, whatever is wrong with the other.
  bool decided(const Node& first, const Node& second, bool by) {
    const std::size_t names = names_.size();
    try {
      if (truth(first) == by) return by;
    } catch (const EvaluationError&) {
      names_.resize(names);
      if (truth(second) == by) return by;
      throw;
    }
    return truth(second);
  }

  const Json* keep(Json value) { return &kept_.emplace_back(std::move(value)); }

  std::vector<std::pair<std::string, const Json*>> names_;  // those of lists last
  std::deque<Json> kept_;
};

Expression::Expression(std::string_view text) : root_(Parser(text).whole()) {}
Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;

bool Expression::holds(const Json& object) const {
  return Evaluation(object).truth(*root_);
}

}  // namespace tpuwh::test::cel
