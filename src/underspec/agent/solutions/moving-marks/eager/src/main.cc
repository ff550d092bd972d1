// One request on standard input, or all cases of a folder.
#include <dirent.h>

#include <fstream>
#include <iostream>
#include <sstream>

#include "requests.h"

// The text of a JSON value, so that a case goes the way of any request.
static std::string written(const Json &json) {
  std::string text, gap;
  switch (json.kind) {
    case 'b': return json.number ? "true" : "false";
    case 'd': {
      std::ostringstream out;
      out.precision(17);
      out << json.number;
      return out.str();
    }
    case 's':
      for (char c : json.string) {
        if (c == '"' || c == '\\') text += '\\';
        text += c;
      }
      return "\"" + text + "\"";
    case 'a':
      for (const Json &item : json.items) text += gap + written(item), gap = ",";
      return "[" + text + "]";
    case 'o':
      for (const auto &each : json.members) text += gap + "\"" + each.first + "\":" + written(each.second), gap = ",";
      return "{" + text + "}";
  }
  return "null";
}

static std::string slurp(std::istream &in) {
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

int main(int argc, char **argv) {
  if (argc < 3) {
    std::cout << answer(slurp(std::cin));
    return 0;
  }
  std::string source = argv[1], target = argv[2];
  DIR *folder = opendir(source.c_str());
  while (dirent *entry = folder ? readdir(folder) : nullptr) {
    std::string name = entry->d_name;
    size_t dot = name.rfind(".json");
    if (dot == std::string::npos) continue;
    std::ifstream file(source + "/" + name);
    std::string text = slurp(file);
    int index = 0;
    Json suite = JsonReader(text).read();
    for (const Json &each : suite.members["cases"].items) {
      char number[32];
      std::snprintf(number, sizeof number, "@%03d.txt", index++);
      std::ofstream(target + "/" + name.substr(0, dot) + number) << answer(written(each.members.at("input")));
    }
  }
}
