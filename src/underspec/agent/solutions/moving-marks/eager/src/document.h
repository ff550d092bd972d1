// Texts. Columns are bytes.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "point.h"

inline std::vector<std::string> lines_of(const std::string &text) {
  std::vector<std::string> lines(1);
  for (char c : text) {
    if (c == '\n') lines.push_back("");
    else lines.back() += c;
  }
  return lines;
}

inline Point end_of(Point start, const std::string &text) {
  std::vector<std::string> lines = lines_of(text);
  long added = lines.size() - 1, width = lines.back().size();
  return {start.line + added, added ? width : start.column + width};
}

struct Document {
  std::string text;

  Point clip(Point point) const {
    std::vector<std::string> lines = lines_of(text);
    long line = std::min<long>(point.line, lines.size() - 1);
    return {line, std::min<long>(point.column, lines[line].size())};
  }

  size_t offset(Point point) const {
    point = clip(point);
    size_t offset = 0;
    std::vector<std::string> lines = lines_of(text);
    for (long line = 0; line < point.line; line++) offset += lines[line].size() + 1;
    return offset + point.column;
  }

  Point point(size_t offset) const { return end_of({0, 0}, text.substr(0, std::min(offset, text.size()))); }

  void replace(const Range &range, const std::string &put) {
    size_t start = offset(range.from);
    text.replace(start, offset(range.to) - start, put);
  }
};
