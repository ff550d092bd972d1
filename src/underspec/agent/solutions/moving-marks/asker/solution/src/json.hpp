// Reads JSON. Texts are kept as code points; a lone half of a surrogate pair is one, too.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

struct NotJson {};

struct Json {
  enum Type { Nothing, Boolean, Integer, Other, String, Array, Map };
  Type type = Nothing;
  bool boolean = false;
  long long integer = 0;
  std::u32string string;
  std::vector<Json> array;
  std::map<std::string, Json> map;

  bool is(Type wanted) const { return type == wanted; }

  const Json *find(const std::string &name) const {
    auto found = map.find(name);
    return found == map.end() ? nullptr : &found->second;
  }
};

class JsonParser {
 public:
  static Json parse(const std::string &text) {
    JsonParser parser{text.data(), text.data() + text.size()};
    Json document = parser.value(100);
    parser.skip();
    if (parser.next != parser.end) throw NotJson();
    return document;
  }

 private:
  const char *next, *end;

  JsonParser(const char *next, const char *end) : next(next), end(end) {}

  char look() const { return next == end ? '\0' : *next; }

  char take() {
    if (next == end) throw NotJson();
    return *next++;
  }

  void skip() {
    while (next != end && std::string(" \t\r\n").find(*next) != std::string::npos) next++;
  }

  bool accept(char wanted) {
    skip();
    if (look() != wanted) return false;
    next++;
    return true;
  }

  void require(bool fulfilled) {
    if (!fulfilled) throw NotJson();
  }

  void word(const char *rest) {
    for (; *rest; rest++) require(take() == *rest);
  }

  Json value(int levels) {
    require(levels > 0);
    skip();
    Json json;
    char first = look();
    if (first == '{') {
      json.type = Json::Map;
      next++;
      if (accept('}')) return json;
      do {
        skip();
        require(look() == '"');
        std::string name;
        for (char32_t point : text()) encode(name, point);
        require(accept(':'));
        json.map[name] = value(levels - 1);
      } while (accept(','));
      require(accept('}'));
    } else if (first == '[') {
      json.type = Json::Array;
      next++;
      if (accept(']')) return json;
      do json.array.push_back(value(levels - 1)); while (accept(','));
      require(accept(']'));
    } else if (first == '"') {
      json.type = Json::String;
      json.string = text();
    } else if (first == 't' || first == 'f') {
      json.type = Json::Boolean;
      json.boolean = first == 't';
      word(json.boolean ? "true" : "false");
    } else if (first == 'n') {
      word("null");
    } else {
      number(json);
    }
    return json;
  }

  std::string figures() {
    std::string found;
    while (look() >= '0' && look() <= '9') found += take();
    require(!found.empty());
    return found;
  }

  void number(Json &json) {
    bool negative = look() == '-';
    if (negative) next++;
    std::string found = figures();
    require(found == "0" || found[0] != '0');
    json.type = Json::Integer;
    if (look() == '.') {
      next++;
      figures();
      json.type = Json::Other;
    }
    if (look() == 'e' || look() == 'E') {
      next++;
      if (look() == '+' || look() == '-') next++;
      figures();
      json.type = Json::Other;
    }
    json.integer = found.size() > 15 ? 999999999999999LL : std::stoll(found);
    if (negative) json.integer = -json.integer;
  }

  char32_t four() {
    char32_t unit = 0;
    for (int place = 0; place < 4; place++) {
      size_t figure = std::string("0123456789abcdefABCDEF").find(take());
      require(figure != std::string::npos);
      unit = unit * 16 + (figure < 16 ? figure : figure - 6);
    }
    return unit;
  }

  char32_t escape() {
    char kind = take();
    if (kind == 'u') return four();
    size_t found = std::string("bfnrt\"\\/").find(kind);
    require(found != std::string::npos);
    return "\b\f\n\r\t\"\\/"[found];
  }

  char32_t point() {
    unsigned char lead = take();
    if (lead == '\\') return escape();
    require(lead >= 0x20);
    if (lead < 0x80) return lead;
    int follow = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    require(lead >= 0xC2 && lead <= 0xF4);
    char32_t found = lead & (0x3F >> follow);
    for (int place = 0; place < follow; place++) {
      unsigned char more = take();
      require((more & 0xC0) == 0x80);
      found = found << 6 | (more & 0x3F);
    }
    require(found >= (follow == 1 ? 0x80u : follow == 2 ? 0x800u : 0x10000u) && found <= 0x10FFFF);
    require(found < 0xD800 || found >= 0xE000);
    return found;
  }

  std::u32string text() {
    std::u32string found;
    for (next++; look() != '"';) {
      char32_t now = point();
      bool pair = now >= 0xDC00 && now < 0xE000 && !found.empty() && found.back() >= 0xD800 && found.back() < 0xDC00;
      if (pair) found.back() = 0x10000 + ((found.back() & 0x3FF) << 10) + (now & 0x3FF);
      else found += now;
    }
    next++;
    return found;
  }

 public:
  static void encode(std::string &out, char32_t point) {
    if (point < 0x80) {
      out += static_cast<char>(point);
      return;
    }
    int follow = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    static const int lead[] = {0, 0xC0, 0xE0, 0xF0};
    out += static_cast<char>(lead[follow] | point >> (6 * follow));
    while (follow-- > 0) out += static_cast<char>(0x80 | (point >> (6 * follow) & 0x3F));
  }
};
