// Places in a text, stretches, and how far apart places are.
#pragma once

#include <tuple>

#include "failures.hpp"

// A line and a column; also the lines and columns from one place to another.
struct Place {
  long long line = 0, column = 0;

  bool operator<(const Place &other) const { return std::tie(line, column) < std::tie(other.line, other.column); }
  bool operator==(const Place &other) const { return line == other.line && column == other.column; }
  bool operator!=(const Place &other) const { return !(*this == other); }
  bool operator<=(const Place &other) const { return !(other < *this); }

  Place plus(const Place &way) const {
    return way.line ? Place{line + way.line, way.column} : Place{line, column + way.column};
  }

  Place minus(const Place &start) const {
    return line == start.line ? Place{0, column - start.column} : Place{line - start.line, column};
  }
};

struct Stretch {
  Place from, to;

  bool empty() const { return from == to; }
  bool holds(const Place &place) const { return from <= place && place <= to; }
  bool strictly_holds(const Place &place) const { return from < place && place < to; }
};

// An edit, as far as places are concerned: a stretch, and where what replaces it ends.
struct Edit {
  Stretch gone;
  Place end;

  bool idle() const { return gone.empty() && end == gone.from; }
  Place carried(const Place &place) const { return end.plus(place.minus(gone.to)); }
};
