// Marks, and what edits do to them.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "place.hpp"
#include "settings.hpp"

using Id = long long;

struct Mark {
  Stretch where;
  bool firm = false;
};

// How badly an edit concerns a mark.
enum Degree { Untouched, Touch, Inside, Overlap, Surround };

class Board {
 public:
  std::map<Id, Mark> marks;

  void add(Id id, const Mark &mark) {
    if (!marks.emplace(id, mark).second) throw TakenMark();
  }

  void drop(Id id) {
    if (!marks.erase(id)) throw NoMark();
  }

  std::map<Id, Degree> edit(const Edit &edit) {
    std::map<Id, Degree> concerned;
    if (edit.idle()) return concerned;
    for (auto &[id, mark] : marks) {
      Degree degree = edit.gone.empty() ? insertion_degree(mark, edit.gone.from) : replacement_degree(mark, edit.gone);
      if (degree != Untouched) concerned[id] = degree;
      if (edit.gone.empty()) insert(mark, edit);
      else replace(mark, edit);
    }
    return concerned;
  }

 private:
  static Degree insertion_degree(const Mark &mark, const Place &at) {
    if (!mark.where.holds(at)) return Untouched;
    bool at_end = at == mark.where.from || at == mark.where.to;
    // Assumed: an insertion at an end of a mark is no more than a touch.
    if (!Settings::told("fallout.insertion")) return at_end ? Touch : Inside;
    return mark.firm && at_end ? Touch : Inside;
  }

  static Degree replacement_degree(const Mark &mark, const Stretch &gone) {
    const Stretch &where = mark.where;
    bool firm = mark.firm && !where.empty() && Settings::told("fallout.firm");
    bool begins = gone.strictly_holds(where.from) || (firm && where.from == gone.from);
    bool ends = gone.strictly_holds(where.to) || (firm && where.to == gone.to);
    if (begins && ends) return Surround;
    if (begins || ends) return Overlap;
    if (where.from <= gone.from && gone.to <= where.to) return Inside;
    return where.to == gone.from || where.from == gone.to ? Touch : Untouched;
  }

  static void insert(Mark &mark, const Edit &edit) {
    const Place &at = edit.gone.from;
    bool empty = mark.where.empty(), begins_behind = at < mark.where.from, ends_behind = at < mark.where.to;
    if (mark.firm && Settings::told("firm.insertion")) {
      begins_behind = at <= mark.where.from;
      ends_behind = ends_behind || (empty && at == mark.where.to);
    } else if (!mark.firm && Settings::told("marks.insertion")) {
      ends_behind = at <= mark.where.to;
    } else if (!mark.firm) {
      // Assumed: what is put in front of a mark is no part of it, what is put behind it is.
      begins_behind = at <= mark.where.from;
      ends_behind = at <= mark.where.to;
    }
    if (begins_behind) mark.where.from = edit.carried(mark.where.from);
    if (ends_behind) mark.where.to = edit.carried(mark.where.to);
  }

  static void replace(Mark &mark, const Edit &edit) {
    bool empty = mark.where.empty();
    bool leaves = mark.firm && !empty && mark.where.from == edit.gone.from && Settings::told("firm.replacement");
    mark.where.from = leaves ? edit.end : moved(mark.where.from, edit, true);
    // Assumed: the end of a mark falls back to where the edit begins.
    mark.where.to = moved(mark.where.to, edit, empty || Settings::told("marks.replacement"));
  }

  static Place moved(const Place &place, const Edit &edit, bool behind) {
    if (place <= edit.gone.from) return place;
    if (edit.gone.to <= place) return edit.carried(place);
    return behind ? edit.end : edit.gone.from;
  }
};
