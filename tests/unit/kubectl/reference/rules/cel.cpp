#include "tests/unit/kubectl/reference/rules/cel.hpp"

#include <algorithm>
#include <cctype>
#include <deque>
#include <utility>
#include <vector>

namespace tpuwh::test::cel {

// The state of one evaluation. names_ has the names that are bound to values: first "object", then
// the names that macros such as all() bind. kept_ has the values that were computed.
class Expression::Evaluation {
 public:
  explicit Evaluation(const Json& object) { names_.emplace_back("object", &object); }

  const Json* keep(Json value) { return &kept_.emplace_back(std::move(value)); }

  const Json& value(const Part& part) {
    const Json* out = part(*this);
    if (out == nullptr) throw EvaluationError("optional.none() dereference");
    return *out;
  }

  bool truth(const Part& part) {
    const Json& out = value(part);
    if (!out.is_boolean()) throw EvaluationError("no such overload: " + out.dump());
    return out.get<bool>();
  }

  // Returns whether `part` is true while `name` is bound to `bound`.
  bool truth_with(const std::string& name, const Json& bound, const Part& part) {
    struct Unbind {
      ~Unbind() { names.pop_back(); }
      decltype(names_)& names;
    } const unbind{names_};
    names_.emplace_back(name, &bound);
    return truth(part);
  }

  const Json* named(const std::string& name) const {
    for (auto each = names_.rbegin(); each != names_.rend(); ++each)
      if (each->first == name) return each->second;
    throw EvaluationError("undeclared reference to " + name);
  }

 private:
  std::vector<std::pair<std::string, const Json*>> names_;
  std::deque<Json> kept_;
};

// Parses an expression, and makes a function of each part of the expression.
class Expression::Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Part whole() {
    Part out = ternary();
    skip();
    if (at_ != text_.size()) fail("the end");
    return out;
  }

 private:
  using E = Evaluation;

  Part ternary() {
    Part condition = disjunction();
    if (!take("?")) return condition;
    Part then = disjunction();
    need(":");
    return [condition, then, other = ternary()](E& e) {
      return e.truth(condition) ? then(e) : other(e);
    };
  }

  Part disjunction() {
    Part out = conjunction();
    while (take("||")) out = decided(std::move(out), conjunction(), true);
    return out;
  }

  Part conjunction() {
    Part out = relation();
    while (take("&&")) out = decided(std::move(out), relation(), false);
    return out;
  }

  // Returns the function of && (`by` is false) or || (`by` is true). If one side evaluates to `by`,
  // so does the whole, even if the other side cannot be evaluated.
  static Part decided(Part first, Part second, bool by) {
    return [first = std::move(first), second = std::move(second), by](E& e) {
      try {
        if (e.truth(first) == by) return e.keep(by);
      } catch (const EvaluationError&) {
        if (e.truth(second) == by) return e.keep(by);
        throw;
      }
      return e.keep(e.truth(second));
    };
  }

  Part relation() {
    Part first = unary();
    for (const std::string_view op : {"==", "!=", ">", "in "}) {
      if (!take(op)) continue;
      return [first, op, second = unary()](E& e) {
        const Json &one = e.value(first), &other = e.value(second);
        return e.keep(op == "=="   ? one == other
                      : op == "!=" ? one != other
                      : op == ">"  ? one > other
                                   : other.contains(one.get<std::string>()));
      };
    }
    return first;
  }

  Part unary() {
    if (!take("!")) return member();
    return [of = unary()](E& e) { return e.keep(!e.truth(of)); };
  }

  Part member() {
    Part out = primary();
    for (;;) {
      if (take(".?")) {
        out = [target = out, field = name()](E& e) -> const Json* {
          const Json* of = target(e);
          return of == nullptr || !of->contains(field) ? nullptr : &of->at(field);
        };
      } else if (take(".")) {
        std::string word = name();
        out = take("(") ? call(word, out) : field_of(out, word);
      } else if (take("[?")) {
        out = [target = out, key = inside("]")](E& e) {
          const Json& of = e.value(target);
          const auto found = of.find(e.value(key).get<std::string>());
          return found == of.end() ? nullptr : &*found;
        };
      } else if (take("[")) {
        out = [target = out, key = inside("]")](E& e) {
          const Json &of = e.value(target), &at = e.value(key);
          if (!of.is_array() || !at.is_number() || at.get<std::size_t>() >= of.size())
            throw EvaluationError("index out of bounds");
          return &of.at(at.get<std::size_t>());
        };
      } else {
        return out;
      }
    }
  }

  Part field_of(const Part& target, const std::string& field) {
    is_there_ = [target, field](E& e) {
      const Json& of = e.value(target);
      return e.keep(of.is_object() && of.contains(field));
    };
    return [target, field](E& e) {
      const Json& of = e.value(target);
      if (!of.is_object() || !of.contains(field)) throw EvaluationError("no such key: " + field);
      return &of.at(field);
    };
  }

  Part call(const std::string& word, const Part& target) {
    if (word == "exists" || word == "filter") {
      const std::string bound = name();
      need(",");
      const Part condition = inside(")");
      if (word == "filter") return filter(target, bound, condition);
      return [=](E& e) { return e.keep(exists(e, e.value(target), bound, condition)); };
    }
    const Part argument = take(")") ? Part() : inside(")");
    if (word == "orValue")
      return [=](E& e) {
        const Json* value = target(e);
        return value != nullptr ? value : argument(e);
      };
    return [=](E& e) {
      const Json& of = e.value(target);
      if (word == "size" && of.is_structured()) return e.keep(of.size());
      if (word == "startsWith")
        return e.keep(of.get<std::string>().starts_with(e.value(argument).get<std::string>()));
      if (word == "contains")
        return e.keep(of.get<std::string>().find(e.value(argument).get<std::string>()) !=
                      std::string::npos);
      throw EvaluationError("no such function or overload: " + word);
    };
  }

  // Calls `act` for each element of a list, or for each key of a map.
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

  static bool exists(E& e, const Json& target, const std::string& name, const Part& condition) {
    bool any = false;
    std::string error;
    each_of(target, [&](const Json& each) {
      try {
        any = any || e.truth_with(name, each, condition);
      } catch (const EvaluationError& wrong) {
        error = wrong.what();
      }
    });
    if (!any && !error.empty()) throw EvaluationError(error);
    return any;
  }

  static Part filter(const Part& target, const std::string& name, const Part& condition) {
    return [=](E& e) {
      Json out = Json::array();
      each_of(e.value(target), [&](const Json& each) {
        if (e.truth_with(name, each, condition)) out.push_back(each);
      });
      return e.keep(std::move(out));
    };
  }

  Part primary() {
    if (take("(")) return inside(")");
    if (take("[")) {
      std::vector<Part> items;
      for (; !take("]"); take(",")) items.push_back(ternary());
      return [items](E& e) {
        Json out = Json::array();
        for (const Part& each : items) out.push_back(e.value(each));
        return e.keep(std::move(out));
      };
    }
    if (take("{")) {
      need("}");
      return literal(Json::object());
    }
    if (take("'")) {
      const std::size_t begin = std::exchange(at_, text_.find('\'', at_) + 1);
      if (at_ == 0) fail("a quote");
      return literal(text_.substr(begin, at_ - 1 - begin));
    }
    std::string word = name();
    if (std::ranges::all_of(word, is_digit)) return literal(std::stoi(word));
    if (word == "true" || word == "false") return literal(word == "true");
    if (word == "null") return literal(nullptr);
    if (word == "has" && take("(")) {
      inside(")");
      return is_there_;
    }
    return [word](E& e) { return e.named(word); };
  }

  static Part literal(Json value) {
    return [value = std::move(value)](E&) { return &value; };
  }

  Part inside(std::string_view end) {
    Part out = ternary();
    need(end);
    return out;
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  // Reads a name or a number.
  std::string name() {
    skip();
    const std::size_t begin = at_;
    while (std::isalnum(static_cast<unsigned char>(peek())) != 0 || peek() == '_') ++at_;
    if (at_ == begin) fail("a name");
    return std::string(text_.substr(begin, at_ - begin));
  }

  // Consumes `token` and returns true if the text continues with it. "." also matches the beginning
  // of ".?", and "[" of "[?", so callers must try the longer tokens first.
  bool take(std::string_view token) {
    skip();
    const bool is_next = text_.substr(at_).starts_with(token);
    if (is_next) at_ += token.size();
    return is_next;
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
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  std::string_view text_;
  std::size_t at_ = 0;
  Part is_there_;  // has() of the last field that was read
};

Expression::Expression(std::string_view text) : whole_(Parser(text).whole()) {}

bool Expression::holds(const Json& object) const {
  return Evaluation(object).truth(whole_);
}

}  // namespace tpuwh::test::cel
