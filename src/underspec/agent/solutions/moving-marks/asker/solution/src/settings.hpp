// The open points of the request, as they were answered or assumed.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include "json.hpp"

class Settings {
 public:
  // The setting "group.name"; a missing one means a slip in this program.
  static const Json &get(const std::string &name) {
    static const Json known = read("settings.json");
    size_t dot = name.find('.');
    return known.map.at(name.substr(0, dot)).map.at(name.substr(dot + 1));
  }

  static bool told(const std::string &name) { return get(name).string == U"told"; }

  static std::string word(const std::string &name) {
    const std::u32string &found = get(name).string;
    return std::string(found.begin(), found.end());
  }

 private:
  static Json read(const std::string &path) {
    std::ifstream file(path);
    return JsonParser::parse(std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()));
  }
};
