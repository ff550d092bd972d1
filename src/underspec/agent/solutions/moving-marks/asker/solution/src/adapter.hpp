// JSON requests in, lines out.
#pragma once

#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "changes.hpp"
#include "script.hpp"
#include "search.hpp"

using Lines = std::vector<std::string>;

namespace write {

inline std::string number(long long value) { return std::to_string(value); }

inline std::string place(const Place &place) {
  return number(place.line) + (Settings::told("output.places") ? ":" : ",") + number(place.column);
}

inline std::string stretch(const Stretch &stretch) { return place(stretch.from) + "-" + place(stretch.to); }

inline std::string ids(const std::vector<Id> &ids) {
  bool told = Settings::told("output.ids");
  std::string text;
  for (Id id : ids) text += (text.empty() ? "" : told ? "," : " ") + number(id);
  return text.empty() && told ? "none" : text;
}

inline std::string line(const std::u32string &units) {
  std::string text;
  bool told = Settings::told("texts.escapes");
  for (size_t index = 0; index < units.size(); index++) {
    char32_t unit = units[index];
    bool half = unit >= 0xD800 && unit < 0xE000;
    if (half && unit < 0xDC00 && index + 1 < units.size() && units[index + 1] >= 0xDC00 && units[index + 1] < 0xE000) {
      unit = 0x10000 + ((unit & 0x3FF) << 10) + (units[++index] & 0x3FF);
      half = false;
    }
    if (told && unit == U'\\') text += "\\\\";
    else if (told && unit == U'\r') text += "\\r";
    else if (half || (told && (unit < 0x20 || unit == 0x7F))) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(unit));
      text += code;
    } else JsonParser::encode(text, unit);
  }
  return text;
}

inline Lines counted(const std::string &name, Lines lines, const std::string &setting) {
  if (Settings::told(setting)) lines.insert(lines.begin(), name + "=" + number(lines.size()));
  return lines;
}

}  // namespace write

namespace actions {

inline const std::u32string &text(const Json &request) { return typed(required(request, "text"), Json::String).string; }

inline Lines locate(const Json &request) {
  Text known(text(request));
  const Json *at = optional(request, Settings::word("requests.at")), *offset = optional(request, "offset");
  if (!at == !offset) throw BadRequest();
  if (at) return {"offset=" + write::number(known.offset(place(*at)))};
  return {"place=" + write::place(known.place(whole(*offset, 1000000000)))};
}

inline Lines clip(const Json &request) {
  Text known(text(request));
  return {"place=" + write::place(known.clip(place(required(request, Settings::word("requests.at")))))};
}

inline Lines apply(const Json &request) {
  Text known(text(request));
  Script script = Script::edits(request);
  script.understand();
  for (const Step &step : script.steps) known.replace(step.where, step.put);
  Lines lines;
  for (const std::u32string &line : known.lines()) lines.push_back("line=" + write::line(line));
  return write::counted("lines", lines, "output.lines");
}

inline Lines places(const Json &request) {
  Script script = Script::session(request);
  script.understand();
  Board board = script.run();
  Lines lines;
  for (Id id : margin_order(board)) {
    const Stretch &where = board.marks.at(id).where;
    if (Settings::told("output.lines")) {
      lines.push_back("mark=" + write::number(id) + " from=" + write::place(where.from) + " to=" + write::place(where.to));
    } else {
      lines.push_back("mark=" + write::number(id) + " " + write::stretch(where));
    }
  }
  return write::counted("count", lines, "output.lines");
}

inline Lines fallout(const Json &request) {
  Script script = Script::session(request);
  script.understand();
  Lines lines;
  script.run([&](const std::map<Id, Degree> &concerned) {
    static const char *names[] = {"touch", "inside", "overlap", "surround"};
    std::string line = "edit=" + write::number(lines.size() + 1);
    for (int least = Touch; least <= Surround; least++) {
      std::vector<Id> ids;
      for (const auto &[id, degree] : concerned) {
        // Assumed: each mark stands under its worst degree only.
        if (Settings::told("fallout.degrees") ? degree >= least : degree == least) ids.push_back(id);
      }
      line += std::string(" ") + names[least - 1] + "=" + write::ids(ids);
    }
    lines.push_back(line);
  });
  return write::counted("edits", lines, "fallout.lines");
}

using Finder = std::vector<Id> (*)(const Board &, const Stretch &);

inline Lines search(const Json &request, Finder find) {
  Script script = Script::session(request);
  RawStretch raw{&required(request, "from"), optional(request, "to")};
  if (!raw.to) {
    if (!Settings::told("search.open_end")) throw BadRequest();
    raw.to = raw.from;
  }
  script.understand();
  Stretch sought = raw.understood();
  return {"marks=" + write::ids(find(script.run(), sought))};
}

inline Lines walk(const Json &request) {
  Script script = Script::session(request);
  const Json &from = required(request, "from"), *limit = optional(request, "limit");
  long long most = limit ? whole(*limit, 1000) : Settings::get("edges.limit").integer;
  script.understand();
  Place start = place(from);
  Board board = script.run();
  bool told = Settings::told("edges.lines");
  Lines lines{"open=" + write::ids(open_at(board, start))};
  for (const Place &edge : edges_from(board, start)) {
    if (most-- == 0) break;
    auto begins = found(board, [&](const Stretch &mark) { return mark.from == edge; });
    auto ends = found(board, [&](const Stretch &mark) { return mark.to == edge; });
    lines.push_back("edge=" + write::place(edge) + (told ? " starting=" : " start=") + write::ids(begins) + (told ? " ending=" : " end=") + write::ids(ends));
  }
  return lines;
}

inline Lines changes(const Json &request, bool backwards) {
  Changes changes(flag(request, Settings::word("requests.join"), true));
  Script script = Script::edits(request);
  script.understand();
  for (const Step &step : script.steps) changes.add(step.edit());
  Lines lines;
  for (const Change &change : changes.all) {
    const Stretch &first = backwards ? change.now : change.old, &second = backwards ? change.old : change.now;
    std::string gap = Settings::told("changes.lines") ? " now=" : " ";
    lines.push_back("change=" + write::stretch(first) + gap + write::stretch(second));
  }
  return write::counted("count", lines, "changes.lines");
}

}  // namespace actions

class Adapter {
 public:
  static std::string respond(const std::string &text) {
    Json request;
    try {
      request = JsonParser::parse(text);
    } catch (const NotJson &) {
    }
    return respond(request);
  }

  static std::string respond(const Json &request) {
    bool told = Settings::told("errors.words");
    try {
      std::string answer;
      for (const std::string &line : run(request)) answer += line + "\n";
      return answer;
    } catch (const BadRequest &) {
      return "error=bad_request\n";
    } catch (const UnknownAction &) {
      return "error=unknown_action\n";
    } catch (const BadPlace &) {
      return told ? "error=bad_place\n" : "error=invalid_place\n";
    } catch (const BadRange &) {
      return told ? "error=bad_range\n" : "error=invalid_range\n";
    } catch (const TakenMark &) {
      return told ? "error=taken_mark\n" : "error=duplicate_mark\n";
    } catch (const NoMark &) {
      return told ? "error=no_mark\n" : "error=unknown_mark\n";
    }
  }

 private:
  static Lines run(const Json &request) {
    using namespace actions;
    static const std::map<std::u32string, std::function<Lines(const Json &)>> known = {
        {U"locate", locate},
        {U"clip", clip},
        {U"apply", apply},
        {U"places", places},
        {U"fallout", fallout},
        {U"meeting", [](const Json &request) { return search(request, meeting); }},
        {U"covering", [](const Json &request) { return search(request, covering); }},
        {U"enclosed", [](const Json &request) { return search(request, within); }},
        {U"starting", [](const Json &request) { return search(request, starting); }},
        {U"ending", [](const Json &request) { return search(request, ending); }},
        {U"walk", walk},
        {U"changes", [](const Json &request) { return changes(request, false); }},
        {U"undo", [](const Json &request) { return changes(request, true); }},
    };
    typed(request, Json::Map);
    const Json *action = request.find("action");
    auto found = action && action->is(Json::String) ? known.find(action->string) : known.end();
    if (found == known.end()) throw UnknownAction();
    return found->second(request);
  }
};
