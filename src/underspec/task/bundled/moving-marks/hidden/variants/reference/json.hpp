// canary underspec-canary-9f2d3ffb-3a8e-4f3f-ae65-f362ec2c712c
// A small reader of JSON. Strings are kept as UTF-16, as the golden library wants them.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace json {

struct Malformed : std::runtime_error {
  Malformed() : std::runtime_error("not JSON") {}
};

struct Value {
  enum Kind { Null, Flag, Whole, Fraction, Text, List, Object };
  Kind kind = Null;
  bool flag = false;
  int64_t whole = 0;  // beyond the range: its nearest end
  std::u16string text;
  std::vector<Value> list;
  std::map<std::u16string, Value> object;

  // The member; a missing one and one that is null are both nullptr.
  const Value *member(const std::u16string &name) const {
    auto found = object.find(name);
    return found == object.end() || found->second.kind == Null ? nullptr : &found->second;
  }
};

class Reader {
 public:
  explicit Reader(const std::string &source) : source(source) {}

  Value document() {
    Value value = any(0);
    blanks();
    if (place != source.size()) throw Malformed();
    return value;
  }

 private:
  const std::string &source;
  size_t place = 0;

  int peek() const { return place < source.size() ? static_cast<unsigned char>(source[place]) : -1; }

  void blanks() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') place++;
  }

  void expect(const std::string &word) {
    if (source.compare(place, word.size(), word) != 0) throw Malformed();
    place += word.size();
  }

  bool eat(char wanted) {
    blanks();
    if (peek() != wanted) return false;
    place++;
    return true;
  }

  Value any(int depth) {
    if (depth > 200) throw Malformed();
    blanks();
    Value value;
    switch (peek()) {
      case 'n': expect("null"); return value;
      case 't': expect("true"); value.kind = Value::Flag; value.flag = true; return value;
      case 'f': expect("false"); value.kind = Value::Flag; return value;
      case '"': value.kind = Value::Text; value.text = string(); return value;
      case '[': list(value, depth); return value;
      case '{': object(value, depth); return value;
      default: number(value); return value;
    }
  }

  void list(Value &value, int depth) {
    value.kind = Value::List;
    place++;
    if (eat(']')) return;
    do value.list.push_back(any(depth + 1)); while (eat(','));
    if (!eat(']')) throw Malformed();
  }

  void object(Value &value, int depth) {
    value.kind = Value::Object;
    place++;
    if (eat('}')) return;
    do {
      blanks();
      if (peek() != '"') throw Malformed();
      std::u16string name = string();
      if (!eat(':')) throw Malformed();
      value.object[name] = any(depth + 1);
    } while (eat(','));
    if (!eat('}')) throw Malformed();
  }

  size_t digits() {
    size_t count = 0;
    while (peek() >= '0' && peek() <= '9') place++, count++;
    return count;
  }

  void number(Value &value) {
    size_t start = place;
    if (peek() == '-') place++;
    bool zero = peek() == '0';
    size_t count = digits();
    if (count == 0 || (zero && count > 1)) throw Malformed();
    value.kind = Value::Whole;
    if (peek() == '.') {
      value.kind = Value::Fraction;
      place++;
      if (digits() == 0) throw Malformed();
    }
    if (peek() == 'e' || peek() == 'E') {
      value.kind = Value::Fraction;
      place++;
      if (peek() == '+' || peek() == '-') place++;
      if (digits() == 0) throw Malformed();
    }
    if (value.kind == Value::Fraction) return;
    bool negative = source[start] == '-';
    if (count > 18) value.whole = negative ? INT64_MIN : INT64_MAX;
    else value.whole = std::stoll(source.substr(start, place - start));
  }

  unsigned hex() {
    unsigned unit = 0;
    for (int count = 0; count < 4; count++, place++) {
      int next = peek();
      if (next >= '0' && next <= '9') unit = unit * 16 + (next - '0');
      else if (next >= 'a' && next <= 'f') unit = unit * 16 + (next - 'a' + 10);
      else if (next >= 'A' && next <= 'F') unit = unit * 16 + (next - 'A' + 10);
      else throw Malformed();
    }
    return unit;
  }

  void escaped(std::u16string &text) {
    static const std::map<int, char16_t> plain = {{'"', u'"'}, {'\\', u'\\'}, {'/', u'/'}, {'b', u'\b'},
                                                  {'f', u'\f'}, {'n', u'\n'}, {'r', u'\r'}, {'t', u'\t'}};
    int next = peek();
    place++;
    if (next == 'u') text += static_cast<char16_t>(hex());
    else if (plain.count(next)) text += plain.at(next);
    else throw Malformed();
  }

  void encoded(std::u16string &text) {
    unsigned first = peek();
    int more = first < 0x80 ? 0 : first < 0xC2 ? -1 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : first < 0xF5 ? 3 : -1;
    if (more < 0) throw Malformed();
    uint32_t point = more == 0 ? first : first & (0x3F >> more);
    place++;
    for (int count = 0; count < more; count++, place++) {
      if ((peek() & 0xC0) != 0x80 || peek() < 0) throw Malformed();
      point = point << 6 | (peek() & 0x3F);
    }
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    if (point < least[more] || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) throw Malformed();
    if (point < 0x10000) {
      text += static_cast<char16_t>(point);
    } else {
      text += static_cast<char16_t>(0xD800 + ((point - 0x10000) >> 10));
      text += static_cast<char16_t>(0xDC00 + ((point - 0x10000) & 0x3FF));
    }
  }

  std::u16string string() {
    std::u16string text;
    place++;
    while (peek() != '"') {
      if (peek() < 0x20) throw Malformed();
      if (peek() == '\\') {
        place++;
        escaped(text);
      } else {
        encoded(text);
      }
    }
    place++;
    return text;
  }
};

inline Value read(const std::string &source) { return Reader(source).document(); }

}  // namespace json
