// Marks, and looking for them.
#pragma once

#include <map>
#include <vector>

#include "point.h"

struct Mark {
  Range range;
  bool firm;
};

struct Marks {
  std::map<long, Mark> all;

  // Marks grow where something is put at their end; firm ones do not.
  void edit(const Range &range, Point end) {
    for (auto &each : all) {
      Mark &mark = each.second;
      bool keeps_end = mark.firm && mark.range.to == range.from;
      mark.range.from = shift(mark.range.from, range, end);
      if (!keeps_end) mark.range.to = shift(mark.range.to, range, end);
    }
  }

  template <typename Test> std::vector<long> find(Test test) const {
    std::vector<long> ids;
    for (const auto &each : all) {
      if (test(each.second.range)) ids.push_back(each.first);
    }
    return ids;
  }

  std::vector<long> meeting(Range r) const {
    return find([&](Range m) { return m.from <= r.to && r.from <= m.to; });
  }
  std::vector<long> covering(Range r) const {
    return find([&](Range m) { return m.from <= r.from && r.to <= m.to; });
  }
  std::vector<long> within(Range r) const {
    return find([&](Range m) { return r.from <= m.from && m.to <= r.to; });
  }
  std::vector<long> starting(Range r) const {
    return find([&](Range m) { return r.from <= m.from && m.from < r.to; });
  }
  std::vector<long> ending(Range r) const {
    return find([&](Range m) { return r.from < m.to && m.to <= r.to; });
  }
};
