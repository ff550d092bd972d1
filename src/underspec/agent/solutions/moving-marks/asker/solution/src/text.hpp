// Texts: counting, clipping, editing.
#pragma once

#include <string>
#include <vector>

#include "place.hpp"
#include "settings.hpp"

// What is counted: units of UTF-16 when that was answered. Assumed: code points.
inline std::u32string counted(const std::u32string &text) {
  if (!Settings::told("texts.units")) return text;
  std::u32string units;
  for (char32_t point : text) {
    if (point < 0x10000) {
      units += point;
    } else {
      units += 0xD800 + ((point - 0x10000) >> 10);
      units += 0xDC00 + ((point - 0x10000) & 0x3FF);
    }
  }
  return units;
}

inline Place reach(const std::u32string &text) {
  Place place;
  for (char32_t unit : counted(text)) place = unit == U'\n' ? Place{place.line + 1, 0} : Place{place.line, place.column + 1};
  return place;
}

class Text {
 public:
  explicit Text(const std::u32string &text) : units(counted(text)) {}

  Place clip(const Place &place) const {
    std::vector<size_t> starts = line_starts();
    long long line = place.line, last = starts.size() - 1;
    if (line > last && Settings::told("texts.clip")) return Place{last, static_cast<long long>(units.size() - starts[last])};
    if (line > last) line = last;  // assumed: the same column on the last line
    long long length = line_end(starts, line) - starts[line];
    return Place{line, place.column < length ? place.column : length};
  }

  bool has(const Place &place) const { return clip(place) == place; }

  long long offset(const Place &place) const {
    Place clipped = clip(place);
    return line_starts()[clipped.line] + clipped.column;
  }

  Place place(long long offset) const {
    long long size = units.size();
    if (offset > size) {
      if (!Settings::told("texts.offsets")) throw BadPlace();
      offset = size;
    }
    std::vector<size_t> starts = line_starts();
    size_t line = starts.size() - 1;
    while (static_cast<long long>(starts[line]) > offset) line--;
    long long column = offset - starts[line];
    if (Settings::told("texts.offsets") && offset > 0 && offset < size && units[offset] == U'\n' && units[offset - 1] == U'\r') column--;
    return Place{static_cast<long long>(line), column};
  }

  void replace(const Stretch &gone, const std::u32string &put) {
    if (!Settings::told("texts.apply") && (!has(gone.from) || !has(gone.to))) throw BadPlace();
    size_t start = offset(gone.from), end = offset(gone.to);
    units.replace(start, end - start, counted(put));
  }

  std::vector<std::u32string> lines() const {
    std::vector<std::u32string> found(1);
    for (char32_t unit : units) {
      if (unit == U'\n') found.emplace_back();
      else found.back() += unit;
    }
    return found;
  }

 private:
  std::u32string units;

  std::vector<size_t> line_starts() const {
    std::vector<size_t> starts{0};
    for (size_t place = 0; place < units.size(); place++) {
      if (units[place] == U'\n') starts.push_back(place + 1);
    }
    return starts;
  }

  size_t line_end(const std::vector<size_t> &starts, size_t line) const {
    if (line + 1 == starts.size()) return units.size();
    size_t end = starts[line + 1] - 1;
    // Assumed: a carriage return is a character like all others.
    if (Settings::told("texts.breaks") && end > starts[line] && units[end - 1] == U'\r') end--;
    return end;
  }
};
