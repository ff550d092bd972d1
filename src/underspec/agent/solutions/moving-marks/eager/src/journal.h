// The changes between the first and the last version; each edit is one, neighbours that overlap are joined.
#pragma once

#include <vector>

#include "point.h"

struct Change {
  Range before, after;
};

inline void record(std::vector<Change> &journal, const Range &range, Point end) {
  for (Change &change : journal) {
    if (range.from <= change.after.to && change.after.from <= range.to) {
      if (range.from < change.after.from) change.before.from = change.after.from = range.from;
      change.after.to = range.to < change.after.to ? shift(change.after.to, range, end) : end;
      return;
    }
  }
  journal.push_back({range, {range.from, end}});
}
