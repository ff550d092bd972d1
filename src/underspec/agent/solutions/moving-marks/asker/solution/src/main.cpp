// Answers the request on standard input, or with two folders given, all cases of the first one into the second.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "adapter.hpp"

static std::string all_of(std::istream &stream) {
  return std::string(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
}

int main(int count, char **words) {
  if (count != 3) {
    std::cout << Adapter::respond(all_of(std::cin));
    return 0;
  }
  for (const auto &entry : std::filesystem::directory_iterator(words[1])) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream file(entry.path());
    Json suite = JsonParser::parse(all_of(file));
    const std::vector<Json> &cases = suite.map.at("cases").array;
    for (size_t index = 0; index < cases.size(); index++) {
      char name[32];
      std::snprintf(name, sizeof name, "@%03zu.txt", index);
      std::filesystem::path target = std::filesystem::path(words[2]) / (entry.path().stem().string() + name);
      std::ofstream(target, std::ios::binary) << Adapter::respond(cases[index].map.at("input"));
    }
  }
}
