// A minimal JSON reader. Texts stay UTF-8.
#pragma once

#include <cctype>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

struct JsonError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Json {
  char kind = 'n';  // null, bool, number, string, array, object
  double number = 0;
  std::string string;
  std::vector<Json> items;
  std::map<std::string, Json> members;

  bool has(const std::string &name) const { return members.count(name) && members.at(name).kind != 'n'; }
};

class JsonReader {
 public:
  explicit JsonReader(const std::string &text) : text(text) {}

  Json read() {
    Json json = value();
    space();
    if (at != text.size()) fail();
    return json;
  }

 private:
  const std::string &text;
  size_t at = 0;
  int depth = 0;

  [[noreturn]] void fail() { throw JsonError("not JSON"); }

  char now() { return at < text.size() ? text[at] : 0; }

  void space() {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) at++;
  }

  bool skip(char wanted) {
    space();
    if (now() != wanted) return false;
    at++;
    return true;
  }

  bool skip(const std::string &word) {
    if (text.compare(at, word.size(), word)) return false;
    at += word.size();
    return true;
  }

  Json value() {
    if (++depth > 100) fail();
    space();
    Json json;
    if (skip('{')) {
      json.kind = 'o';
      while (!skip('}')) {
        if (!json.members.empty() && !skip(',')) fail();
        space();
        std::string name = string();
        if (!skip(':')) fail();
        json.members[name] = value();
      }
    } else if (skip('[')) {
      json.kind = 'a';
      while (!skip(']')) {
        if (!json.items.empty() && !skip(',')) fail();
        json.items.push_back(value());
      }
    } else if (now() == '"') {
      json.kind = 's';
      json.string = string();
    } else if (skip("true") || skip("false")) {
      json.kind = 'b';
      json.number = text[at - 2] == 'u';
    } else if (!skip("null")) {
      char *end;
      json.kind = 'd';
      json.number = std::strtod(text.c_str() + at, &end);
      if (end == text.c_str() + at) fail();
      at = end - text.c_str();
    }
    depth--;
    return json;
  }

  std::string string() {
    std::string found;
    if (now() != '"') fail();
    for (at++; now() != '"'; at++) {
      if (at >= text.size()) fail();
      if (now() != '\\') {
        found += now();
        continue;
      }
      at++;
      switch (now()) {
        case 'n': found += '\n'; break;
        case 't': found += '\t'; break;
        case 'r': found += '\r'; break;
        case 'u': {
          long code = std::strtol(text.substr(at + 1, 4).c_str(), nullptr, 16);
          if (code < 0x80) found += static_cast<char>(code);
          else found += '?';
          at += 4;
          break;
        }
        default: found += now();
      }
    }
    at++;
    return found;
  }
};
