// Finding marks.
#pragma once

#include <algorithm>
#include <set>
#include <vector>

#include "board.hpp"

inline std::vector<Id> margin_order(const Board &board) {
  std::vector<Id> ids;
  for (const auto &[id, mark] : board.marks) ids.push_back(id);
  if (!Settings::told("marks.order")) return ids;  // assumed: by id
  std::stable_sort(ids.begin(), ids.end(), [&](Id one, Id other) {
    const Stretch &first = board.marks.at(one).where, &second = board.marks.at(other).where;
    return first.from != second.from ? first.from < second.from : second.to < first.to;
  });
  return ids;
}

template <typename Wanted> std::vector<Id> found(const Board &board, Wanted wanted) {
  std::vector<Id> ids;
  for (const auto &[id, mark] : board.marks) {
    if (wanted(mark.where)) ids.push_back(id);
  }
  return ids;
}

inline std::vector<Id> meeting(const Board &board, const Stretch &sought) {
  // Assumed: to meet is to have at least a character in common.
  if (!Settings::told("search.meeting")) {
    return found(board, [&](const Stretch &mark) { return mark.from < sought.to && sought.from < mark.to; });
  }
  return found(board, [&](const Stretch &mark) { return mark.from <= sought.to && sought.from <= mark.to; });
}

inline std::vector<Id> covering(const Board &board, const Stretch &sought) {
  return found(board, [&](const Stretch &mark) { return mark.from <= sought.from && sought.to <= mark.to; });
}

inline std::vector<Id> within(const Board &board, const Stretch &sought) {
  return found(board, [&](const Stretch &mark) { return sought.from <= mark.from && mark.to <= sought.to; });
}

// Assumed: a stretch holds its beginning, and not its end.
inline bool lies_in(const Stretch &sought, const Place &place) {
  return sought.holds(place) && (Settings::told("search.ends") || place != sought.to);
}

inline std::vector<Id> starting(const Board &board, const Stretch &sought) {
  return found(board, [&](const Stretch &mark) { return lies_in(sought, mark.from); });
}

inline std::vector<Id> ending(const Board &board, const Stretch &sought) {
  return found(board, [&](const Stretch &mark) { return lies_in(sought, mark.to); });
}

inline std::vector<Id> open_at(const Board &board, const Place &place) {
  bool told = Settings::told("edges.open");
  std::vector<Id> ids;
  for (Id id : margin_order(board)) {
    const Stretch &mark = board.marks.at(id).where;
    if (told ? mark.from < place && place <= mark.to : mark.from <= place && place < mark.to) ids.push_back(id);
  }
  return ids;
}

inline std::set<Place> edges_from(const Board &board, const Place &start) {
  std::set<Place> places;
  for (const auto &[id, mark] : board.marks) {
    for (const Place &place : {mark.where.from, mark.where.to}) {
      if (start <= place) places.insert(place);
    }
  }
  return places;
}
