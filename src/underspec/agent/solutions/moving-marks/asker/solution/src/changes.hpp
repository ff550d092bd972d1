// Many edits as few changes between the text before and the text after.
#pragma once

#include <vector>

#include "place.hpp"
#include "settings.hpp"

struct Change {
  Stretch old, now;
};

class Changes {
 public:
  std::vector<Change> all;

  explicit Changes(bool join) : join(join) {}

  void add(const Edit &edit) {
    if (edit.idle()) return;
    std::vector<Change> result;
    Place old_from, now_from = edit.gone.from, old_to, now_to = edit.end;
    size_t place = 0, merged = 0;
    for (; place < all.size() && in_front(all[place].now, edit.gone); place++) result.push_back(all[place]);
    old_from = old_place(edit.gone.from, result.empty() ? nullptr : &result.back());
    const Change *last = result.empty() ? nullptr : &result.back();
    if (place < all.size() && !behind(all[place].now, edit.gone) && all[place].now.from <= now_from) {
      old_from = all[place].old.from;
      now_from = all[place].now.from;
    }
    for (; place < all.size() && !behind(all[place].now, edit.gone); place++, merged++) last = &all[place];
    old_to = old_place(edit.gone.to, last);
    if (merged && edit.gone.to <= last->now.to) {
      old_to = last->old.to;
      now_to = edit.carried(last->now.to);
    }
    Change change{{old_from, old_to}, {now_from, now_to}};
    bool nothing = change.old.empty() && change.now.empty();
    // Assumed: a change that became empty is still told.
    if (!nothing || merged != 1 || !Settings::told("changes.empty")) result.push_back(change);
    for (; place < all.size(); place++) {
      const Stretch &now = all[place].now;
      result.push_back({all[place].old, {edit.carried(now.from), edit.carried(now.to)}});
    }
    all = result;
  }

 private:
  bool join;

  static Place old_place(const Place &now, const Change *before) {
    return before ? before->old.to.plus(now.minus(before->now.to)) : now;
  }

  // Whether what only touches is merged. Assumed: neighbours are those that overlap; apart is what was not one edit.
  bool touching() const { return join && Settings::told("changes.joined"); }

  bool in_front(const Stretch &change, const Stretch &gone) const {
    if (!join && !Settings::told("changes.apart")) return change.to <= gone.from || change.from < gone.from;
    return change.to < gone.from || (!touching() && change.to == gone.from);
  }

  bool behind(const Stretch &change, const Stretch &gone) const {
    return gone.to < change.from || (!touching() && gone.to == change.from);
  }
};
