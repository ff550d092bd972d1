// canary underspec-canary-da78fd41-b544-4bb1-bc19-d4b9baec3352
// Answers requests with the golden library, which the composer puts under vendor/golden.
//
// It looks parameters up, calls the library and puts the answer in the contract's neutral words. Where a mark goes, which
// marks an edit concerns, which marks are found, and how edits add up to changes is never decided here.
#include "library.cpp"

#include <dirent.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>

#include "json.hpp"

namespace {

using json::Value;
using Ids = flat_set<MarkerIndex::MarkerId>;

struct Refused {
  std::string word;
};

// --- what a request holds ---

const Value *of_kind(const Value &holder, const std::u16string &name, Value::Kind kind) {
  const Value *value = holder.member(name);
  if (value && value->kind != kind) throw Refused{"bad_request"};
  return value;
}

const Value &needed(const Value *value) {
  if (!value) throw Refused{"bad_request"};
  return *value;
}

int64_t whole(const Value &value, int64_t least, int64_t most) {
  if (value.kind != Value::Whole || value.whole < least || value.whole > most) throw Refused{"bad_request"};
  return value.whole;
}

const std::u16string &text_of(const Value &request) { return needed(of_kind(request, u"text", Value::Text)).text; }

bool flag(const Value &holder, const std::u16string &name, bool standard) {
  const Value *value = of_kind(holder, name, Value::Flag);
  return value ? value->flag : standard;
}

Point place_of(const Value &value) {
  if (value.kind != Value::List || value.list.size() != 2) throw Refused{"bad_place"};
  for (const Value &number : value.list) {
    if (number.kind != Value::Whole || number.whole < 0 || number.whole > 1000000) throw Refused{"bad_place"};
  }
  return Point(value.list[0].whole, value.list[1].whole);
}

// A stretch whose places are kept as they were given until all shapes are known to be right.
struct Stretch {
  const Value *first, *last;

  Range range() const {
    Range range{place_of(*first), place_of(*last)};
    if (range.end < range.start) throw Refused{"bad_range"};
    return range;
  }
};

struct Step {
  enum Kind { Edit, Add, Drop } kind;
  unsigned id;
  bool firm;
  Stretch stretch;
  std::u16string put;
  Range range;
};

unsigned id_of(const Value &value) { return whole(value, 0, 1000000); }

Stretch stretch_of(const Value &holder, const std::u16string &from, const std::u16string &to, bool open) {
  const Value &first = needed(holder.member(from));
  const Value *last = holder.member(to);
  return Stretch{&first, open && !last ? &first : &needed(last)};
}

Step mark(const Value &value) {
  if (value.kind != Value::Object) throw Refused{"bad_request"};
  unsigned id = id_of(needed(value.member(u"id")));
  return Step{Step::Add, id, flag(value, u"firm", false), stretch_of(value, u"from", u"to", false), {}, {}};
}

Step step(const Value &value, bool edits_only) {
  if (value.kind != Value::Object) throw Refused{"bad_request"};
  const Value *add = value.member(u"add"), *drop = value.member(u"drop");
  int kinds = (add != nullptr) + (drop != nullptr) + (value.member(u"at") != nullptr);
  if (kinds != 1 || (edits_only && (add || drop))) throw Refused{"bad_request"};
  if (add) return mark(*add);
  if (drop) return Step{Step::Drop, id_of(*drop), false, {}, {}, {}};
  const Value *put = of_kind(value, u"put", Value::Text);
  return Step{Step::Edit, 0, false, stretch_of(value, u"at", u"until", true), put ? put->text : u"", {}};
}

std::vector<Step> steps_of(const Value &request, bool edits_only) {
  std::vector<Step> steps;
  if (const Value *given = of_kind(request, u"steps", Value::List)) {
    for (const Value &value : given->list) steps.push_back(step(value, edits_only));
  }
  return steps;
}

std::vector<Step> script_of(const Value &request) {
  std::vector<Step> script;
  for (const Value &value : needed(of_kind(request, u"marks", Value::List)).list) script.push_back(mark(value));
  for (Step &each : steps_of(request, false)) script.push_back(each);
  return script;
}

void understand(std::vector<Step> &steps) {
  for (Step &each : steps) {
    if (each.kind != Step::Drop) each.range = each.stretch.range();
  }
}

// --- what an answer holds ---

std::string shown(const Point &place) { return std::to_string(place.row) + ":" + std::to_string(place.column); }

template <typename Numbers> std::string listed(const Numbers &ids) {
  std::string text;
  for (unsigned id : ids) text += (text.empty() ? "" : ",") + std::to_string(id);
  return text.empty() ? "none" : text;
}

std::string escape(unsigned unit) {
  char text[8];
  std::snprintf(text, sizeof text, "\\u%04x", unit);
  return text;
}

// Lines of a text, each shown on a line of its own.
std::string lines(const Text &text) {
  std::string answer = "lines=" + std::to_string(text.extent().row + 1) + "\nline=";
  const std::u16string &units = text.content;
  for (size_t place = 0; place < units.size(); place++) {
    uint32_t unit = units[place];
    bool pair = unit >= 0xD800 && unit < 0xDC00 && place + 1 < units.size() && (units[place + 1] & 0xFC00) == 0xDC00;
    if (unit == '\n') answer += "\nline=";
    else if (unit == '\\') answer += "\\\\";
    else if (unit == '\r') answer += "\\r";
    else if (unit < 0x20 || unit == 0x7F || (!pair && (unit & 0xF800) == 0xD800)) answer += escape(unit);
    else if (unit < 0x80) answer += static_cast<char>(unit);
    else if (unit < 0x800) answer += {static_cast<char>(0xC0 | unit >> 6), static_cast<char>(0x80 | (unit & 0x3F))};
    else if (!pair) {
      answer += {static_cast<char>(0xE0 | unit >> 12), static_cast<char>(0x80 | (unit >> 6 & 0x3F)),
                 static_cast<char>(0x80 | (unit & 0x3F))};
    } else {
      uint32_t point = 0x10000 + ((unit & 0x3FF) << 10) + (units[++place] & 0x3FF);
      answer += {static_cast<char>(0xF0 | point >> 18), static_cast<char>(0x80 | (point >> 12 & 0x3F)),
                 static_cast<char>(0x80 | (point >> 6 & 0x3F)), static_cast<char>(0x80 | (point & 0x3F))};
    }
  }
  return answer + "\n";
}

// --- the library at work ---

struct Marks {
  MarkerIndex index;
  std::vector<unsigned> ids;
  std::vector<MarkerIndex::SpliceResult> results;

  void run(const std::vector<Step> &script) {
    for (const Step &each : script) {
      if (each.kind == Step::Add) {
        if (index.has(each.id)) throw Refused{"taken_mark"};
        index.insert(each.id, each.range.start, each.range.end);
        index.set_exclusive(each.id, each.firm);
        ids.push_back(each.id);
      } else if (each.kind == Step::Drop) {
        if (!index.has(each.id)) throw Refused{"no_mark"};
        index.remove(each.id);
        ids.erase(std::find(ids.begin(), ids.end(), each.id));
      } else {
        results.push_back(index.splice(each.range.start, each.range.extent(), Text::extent(each.put)));
      }
    }
  }
};

std::string places(const Value &request) {
  std::vector<Step> script = script_of(request);
  understand(script);
  Marks marks;
  marks.run(script);
  std::sort(marks.ids.begin(), marks.ids.end(), [&](unsigned one, unsigned other) {
    int order = marks.index.compare(one, other);
    return order == 0 ? one < other : order < 0;
  });
  std::string answer = "count=" + std::to_string(marks.ids.size()) + "\n";
  for (unsigned id : marks.ids) {
    Range range = marks.index.get_range(id);
    answer += "mark=" + std::to_string(id) + " from=" + shown(range.start) + " to=" + shown(range.end) + "\n";
  }
  return answer;
}

std::string fallout(const Value &request) {
  std::vector<Step> script = script_of(request);
  understand(script);
  Marks marks;
  marks.run(script);
  std::string answer = "edits=" + std::to_string(marks.results.size()) + "\n";
  for (size_t place = 0; place < marks.results.size(); place++) {
    const MarkerIndex::SpliceResult &one = marks.results[place];
    answer += "edit=" + std::to_string(place + 1) + " touch=" + listed(one.touch) + " inside=" + listed(one.inside);
    answer += " overlap=" + listed(one.overlap) + " surround=" + listed(one.surround) + "\n";
  }
  return answer;
}

std::string search(const Value &request, Ids (MarkerIndex::*find)(Point, Point)) {
  std::vector<Step> script = script_of(request);
  Stretch sought = stretch_of(request, u"from", u"to", true);
  understand(script);
  Range range = sought.range();
  Marks marks;
  marks.run(script);
  return "marks=" + listed((marks.index.*find)(range.start, range.end)) + "\n";
}

std::string walk(const Value &request) {
  std::vector<Step> script = script_of(request);
  const Value &from = needed(request.member(u"from"));
  const Value *limit = request.member(u"limit");
  size_t count = limit ? whole(*limit, 0, 1000) : 8;
  understand(script);
  Point start = place_of(from);
  Marks marks;
  marks.run(script);
  MarkerIndex::BoundaryQueryResult found = marks.index.find_boundaries_after(start, count);
  std::string answer = "open=" + listed(found.containing_start) + "\n";
  for (const MarkerIndex::Boundary &edge : found.boundaries) {
    answer += "edge=" + shown(edge.position) + " starting=" + listed(edge.starting);
    answer += " ending=" + listed(edge.ending) + "\n";
  }
  return answer;
}

std::string changes(const Value &request, bool backwards) {
  bool join = flag(request, u"join", true);
  needed(request.member(u"steps"));
  std::vector<Step> edits = steps_of(request, true);
  understand(edits);
  Patch patch(join);
  for (const Step &each : edits) {
    patch.splice(each.range.start, each.range.extent(), Text::extent(each.put), {}, Text(each.put));
  }
  if (backwards) patch = patch.invert();
  std::vector<Patch::Change> found = patch.get_changes();
  std::string answer = "count=" + std::to_string(found.size()) + "\n";
  for (const Patch::Change &one : found) {
    answer += "change=" + shown(one.old_start) + "-" + shown(one.old_end);
    answer += " now=" + shown(one.new_start) + "-" + shown(one.new_end) + "\n";
  }
  return answer;
}

std::string locate(const Value &request) {
  const std::u16string &given = text_of(request);
  const Value *at = request.member(u"at"), *offset = request.member(u"offset");
  if ((at == nullptr) == (offset == nullptr)) throw Refused{"bad_request"};
  if (at) return "offset=" + std::to_string(Text(given).offset_for_position(place_of(*at))) + "\n";
  return "place=" + shown(Text(given).position_for_offset(whole(*offset, 0, 1000000000))) + "\n";
}

std::string clip(const Value &request) {
  const std::u16string &given = text_of(request);
  const Value &at = needed(request.member(u"at"));
  return "place=" + shown(Text(given).clip_position(place_of(at)).position) + "\n";
}

std::string apply(const Value &request) {
  Text text(text_of(request));
  needed(request.member(u"steps"));
  std::vector<Step> edits = steps_of(request, true);
  understand(edits);
  for (const Step &each : edits) {
    Point start = text.clip_position(each.range.start).position;
    Point end = text.clip_position(each.range.end).position;
    Text put(each.put);
    text.splice(start, end.traversal(start), TextSlice(put));
  }
  return lines(text);
}

const std::map<std::u16string, std::function<std::string(const Value &)>> ACTIONS = {
    {u"locate", locate},
    {u"clip", clip},
    {u"apply", apply},
    {u"places", places},
    {u"fallout", fallout},
    {u"meeting", [](const Value &request) { return search(request, &MarkerIndex::find_intersecting); }},
    {u"covering", [](const Value &request) { return search(request, &MarkerIndex::find_containing); }},
    {u"enclosed", [](const Value &request) { return search(request, &MarkerIndex::find_contained_in); }},
    {u"starting", [](const Value &request) { return search(request, &MarkerIndex::find_starting_in); }},
    {u"ending", [](const Value &request) { return search(request, &MarkerIndex::find_ending_in); }},
    {u"walk", walk},
    {u"changes", [](const Value &request) { return changes(request, false); }},
    {u"undo", [](const Value &request) { return changes(request, true); }},
};

std::string respond(const Value &request) {
  try {
    if (request.kind != Value::Object) throw Refused{"bad_request"};
    const Value *action = request.member(u"action");
    if (!action || action->kind != Value::Text || !ACTIONS.count(action->text)) throw Refused{"unknown_action"};
    return ACTIONS.at(action->text)(request);
  } catch (const Refused &refused) {
    return "error=" + refused.word + "\n";
  }
}

std::string whole_stream(std::istream &stream) {
  return std::string(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
}

// Answers every case of the folder; all share one process, and each starts from its request alone.
int run_folder(const std::string &folder, const std::string &target) {
  DIR *listing = opendir(folder.c_str());
  if (!listing) return 1;
  while (dirent *entry = readdir(listing)) {
    std::string name = entry->d_name;
    if (name.size() < 5 || name.substr(name.size() - 5) != ".json") continue;
    std::ifstream stream(folder + "/" + name, std::ios::binary);
    Value document = json::read(whole_stream(stream));
    const std::vector<Value> &cases = document.object.at(u"cases").list;
    for (size_t index = 0; index < cases.size(); index++) {
      std::string number = std::to_string(index);
      number.insert(0, number.size() < 3 ? 3 - number.size() : 0, '0');
      std::string path = target + "/" + name.substr(0, name.size() - 5) + "@" + number + ".txt";
      std::ofstream(path, std::ios::binary) << respond(cases[index].object.at(u"input"));
    }
  }
  closedir(listing);
  return 0;
}

}  // namespace

int main(int count, char **arguments) {
  if (count == 3) return run_folder(arguments[1], arguments[2]);
  try {
    std::cout << respond(json::read(whole_stream(std::cin)));
  } catch (const json::Malformed &) {
    std::cout << "error=bad_request\n";
  }
}
