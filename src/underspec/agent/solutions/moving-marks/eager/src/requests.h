// From a request to the lines of an answer.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "document.h"
#include "journal.h"
#include "json.h"
#include "marks.h"

struct Problem {
  std::string word;
};

inline const Json &member(const Json &json, const std::string &name, char kind) {
  if (!json.has(name) || json.members.at(name).kind != kind) throw Problem{"bad_request"};
  return json.members.at(name);
}

inline Point point(const Json &json) {
  if (json.kind != 'a' || json.items.size() != 2) throw Problem{"bad_request"};
  for (const Json &item : json.items) {
    if (item.kind != 'd' || item.number < 0 || item.number > 1e9) throw Problem{"bad_position"};
  }
  return {static_cast<long>(json.items[0].number), static_cast<long>(json.items[1].number)};
}

inline Range range(const Json &json) {
  Range found{point(member(json, "from", 'a')), point(json.has("to") ? json.members.at("to") : json.members.at("from"))};
  if (found.to < found.from) throw Problem{"bad_range"};
  return found;
}

inline std::string shown(Point point) { return std::to_string(point.line) + ":" + std::to_string(point.column); }

inline std::string shown(Range range) { return shown(range.from) + "-" + shown(range.to); }

inline std::string shown(const std::vector<long> &ids) {
  std::string text;
  for (long id : ids) text += (text.empty() ? "" : " ") + std::to_string(id);
  return text.empty() ? "none" : text;
}

struct Edit {
  Range where;
  std::string text;
};

inline std::vector<Edit> edits(const Json &request) {
  std::vector<Edit> found;
  if (!request.has("steps")) return found;
  for (const Json &step : member(request, "steps", 'a').items) {
    found.push_back({range(step), step.has("text") ? member(step, "text", 's').string : ""});
  }
  return found;
}

inline Marks marks(const Json &request) {
  Marks found;
  for (const Json &json : member(request, "marks", 'a').items) {
    found.all[static_cast<long>(member(json, "id", 'd').number)] = {range(json), json.has("firm") && json.members.at("firm").number};
  }
  return found;
}

inline Marks edited(const Json &request) {
  Marks found = marks(request);
  for (const Edit &edit : edits(request)) found.edit(edit.where, end_of(edit.where.from, edit.text));
  return found;
}

inline std::string locate(const Json &request) {
  Document document{member(request, "text", 's').string};
  if (request.has("offset")) return "place=" + shown(document.point(member(request, "offset", 'd').number)) + "\n";
  return "offset=" + std::to_string(document.offset(point(member(request, "place", 'a')))) + "\n";
}

inline std::string clip(const Json &request) {
  return "place=" + shown(Document{member(request, "text", 's').string}.clip(point(member(request, "place", 'a')))) + "\n";
}

inline std::string apply(const Json &request) {
  Document document{member(request, "text", 's').string};
  for (const Edit &edit : edits(request)) document.replace(edit.where, edit.text);
  std::string answer;
  for (const std::string &line : lines_of(document.text)) answer += "line=" + line + "\n";
  return answer;
}

inline std::string places(const Json &request) {
  std::string answer;
  for (const auto &each : edited(request).all) answer += "mark=" + std::to_string(each.first) + " " + shown(each.second.range) + "\n";
  return answer;
}

inline std::string fallout(const Json &request) {
  Marks known = marks(request);
  std::string answer;
  for (const Edit &edit : edits(request)) {
    answer += "edit=" + shown(known.meeting(edit.where)) + "\n";
    known.edit(edit.where, end_of(edit.where.from, edit.text));
  }
  return answer;
}

inline std::string walk(const Json &request) {
  std::map<Point, std::string> found;
  for (const auto &each : edited(request).all) {
    found[each.second.range.from] += " +" + std::to_string(each.first);
    found[each.second.range.to] += " -" + std::to_string(each.first);
  }
  std::string answer;
  for (const auto &edge : found) answer += "edge=" + shown(edge.first) + edge.second + "\n";
  return answer;
}

inline std::string changes(const Json &request, bool back) {
  std::vector<Change> journal;
  for (const Edit &edit : edits(request)) record(journal, edit.where, end_of(edit.where.from, edit.text));
  std::string answer;
  for (const Change &change : journal) {
    answer += "change=" + shown(back ? change.after : change.before) + " " + shown(back ? change.before : change.after) + "\n";
  }
  return answer;
}

template <std::vector<long> (Marks::*find)(Range) const> std::string search(const Json &request) {
  return "marks=" + shown((edited(request).*find)(range(request))) + "\n";
}

inline std::string answer(const std::string &text) {
  static const std::map<std::string, std::function<std::string(const Json &)>> actions = {
      {"locate", locate}, {"clip", clip}, {"apply", apply}, {"places", places}, {"fallout", fallout}, {"walk", walk},
      {"meeting", search<&Marks::meeting>}, {"covering", search<&Marks::covering>}, {"enclosed", search<&Marks::within>},
      {"starting", search<&Marks::starting>}, {"ending", search<&Marks::ending>},
      {"changes", [](const Json &request) { return changes(request, false); }},
      {"undo", [](const Json &request) { return changes(request, true); }},
  };
  try {
    Json request = JsonReader(text).read();
    if (request.kind != 'o') throw Problem{"bad_request"};
    auto found = request.has("action") ? actions.find(request.members.at("action").string) : actions.end();
    if (found == actions.end()) throw Problem{"unknown_action"};
    return found->second(request);
  } catch (const Problem &problem) {
    return "error=" + problem.word + "\n";
  } catch (const JsonError &) {
    return "error=bad_json\n";
  }
}
