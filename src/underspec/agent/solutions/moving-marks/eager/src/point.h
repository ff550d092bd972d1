// Points and ranges of a text; lines and columns count from 0.
#pragma once

#include <tuple>

struct Point {
  long line = 0, column = 0;
};

inline bool operator<(Point a, Point b) { return std::tie(a.line, a.column) < std::tie(b.line, b.column); }
inline bool operator==(Point a, Point b) { return a.line == b.line && a.column == b.column; }
inline bool operator<=(Point a, Point b) { return a < b || a == b; }

struct Range {
  Point from, to;
};

// Where `point` goes when the range is replaced by something that ends at `end`.
inline Point shift(Point point, const Range &range, Point end) {
  if (point < range.from) return point;
  if (point < range.to) return range.from;
  if (point.line == range.to.line) return {end.line, end.column + point.column - range.to.column};
  return {point.line + end.line - range.to.line, point.column};
}
