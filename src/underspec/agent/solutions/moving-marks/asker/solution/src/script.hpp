// What a request says of marks and steps: first its shape, then its places, then what they do.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "board.hpp"
#include "json.hpp"
#include "text.hpp"

// A member that is there; null is as good as none when that was answered.
inline const Json *optional(const Json &holder, const std::string &name) {
  const Json *found = holder.find(name);
  if (found && found->is(Json::Nothing)) {
    if (!Settings::told("requests.nulls")) throw BadRequest();
    return nullptr;
  }
  return found;
}

inline const Json &required(const Json &holder, const std::string &name) {
  const Json *found = optional(holder, name);
  if (!found) throw BadRequest();
  return *found;
}

inline const Json &typed(const Json &json, Json::Type type) {
  if (!json.is(type)) throw BadRequest();
  return json;
}

inline bool flag(const Json &holder, const std::string &name, bool standard) {
  const Json *found = optional(holder, name);
  return found ? typed(*found, Json::Boolean).boolean : standard;
}

inline long long whole(const Json &json, long long most) {
  long long number = typed(json, Json::Integer).integer;
  if (number < 0 || number > most) throw BadRequest();
  return number;
}

inline Place place(const Json &json) {
  if (!json.is(Json::Array) || json.array.size() != 2) throw BadPlace();
  for (const Json &number : json.array) {
    if (!number.is(Json::Integer) || number.integer < 0) throw BadPlace();
    if (number.integer > 1000000 && Settings::told("input.bounds")) throw BadPlace();
  }
  return Place{json.array[0].integer, json.array[1].integer};
}

struct RawStretch {
  const Json *from, *to;

  Stretch understood() const {
    Stretch stretch{place(*from), place(*to)};
    if (stretch.to < stretch.from) throw BadRange();
    return stretch;
  }
};

struct Step {
  enum Kind { EditText, AddMark, DropMark };
  Kind kind;
  Id id = 0;
  bool firm = false;
  RawStretch raw{};
  std::u32string put;
  Stretch where;

  explicit Step(Kind kind) : kind(kind) {}
  Edit edit() const { return Edit{where, where.from.plus(reach(put))}; }
};

inline Id id(const Json &json) { return whole(json, 1000000); }

inline Step read_mark(const Json &json) {
  typed(json, Json::Map);
  Step step(Step::AddMark);
  step.id = id(required(json, "id"));
  step.firm = flag(json, "firm", false);
  step.raw = {&required(json, "from"), &required(json, "to")};
  return step;
}

// Assumed: edits are {from, to, text}, and marks are handed over beforehand.
inline Step read_step(const Json &json, bool edits_only) {
  typed(json, Json::Map);
  bool told = Settings::told("steps.edits"), marks = Settings::told("steps.marks");
  const std::string from = told ? "at" : "from", to = told ? "until" : "to", put = told ? "put" : "text";
  const Json *at = optional(json, from);
  const Json *add = marks ? optional(json, "add") : nullptr, *drop = marks ? optional(json, "drop") : nullptr;
  int kinds = !!at + !!add + !!drop;
  if (kinds != 1 || (edits_only && !at)) throw BadRequest();
  if (add) return read_mark(*add);
  if (drop) {
    Step step(Step::DropMark);
    step.id = id(*drop);
    return step;
  }
  Step step(Step::EditText);
  const Json *until = optional(json, to), *text = optional(json, put);
  step.raw = {at, until ? until : at};
  if (text) step.put = typed(*text, Json::String).string;
  return step;
}

class Script {
 public:
  std::vector<Step> steps;

  static Script edits(const Json &request) {
    Script script;
    for (const Json &json : typed(required(request, "steps"), Json::Array).array) script.steps.push_back(read_step(json, true));
    return script;
  }

  static Script session(const Json &request) {
    Script script;
    for (const Json &json : typed(required(request, "marks"), Json::Array).array) script.steps.push_back(read_mark(json));
    if (const Json *given = optional(request, "steps")) {
      for (const Json &json : typed(*given, Json::Array).array) script.steps.push_back(read_step(json, false));
    }
    return script;
  }

  // Assumed about the order of faults: ids that are used twice are noticed before any place is read.
  void understand() {
    if (!Settings::told("errors.order")) {
      Board ids;
      for (const Step &step : steps) {
        if (step.kind == Step::AddMark) ids.add(step.id, Mark{});
        if (step.kind == Step::DropMark) ids.drop(step.id);
      }
    }
    for (Step &step : steps) {
      if (step.kind != Step::DropMark) step.where = step.raw.understood();
    }
  }

  Board run(std::function<void(const std::map<Id, Degree> &)> hear) const {
    Board board;
    for (const Step &step : steps) {
      if (step.kind == Step::AddMark) board.add(step.id, Mark{step.where, step.firm});
      else if (step.kind == Step::DropMark) board.drop(step.id);
      else hear(board.edit(step.edit()));
    }
    return board;
  }

  Board run() const {
    return run([](const std::map<Id, Degree> &) {});
  }
};
