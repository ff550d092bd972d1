package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"labels/settings"
	"labels/texts"
)

// Nothing else knows of JSON, of lines, or of the words for failures.

type failure struct{ told, assumed string }

var (
	badRequest    = failure{"bad_request", "invalid_request"}
	unknownAction = failure{"unknown_action", "unknown_action"}
	outOfRange    = failure{"out_of_range", "invalid_position"}
)

type request map[string]any

// name gives a parameter's name: as told, or what seemed likely.
func name(told, assumed string) string {
	if settings.Told("requests.names") {
		return told
	}
	return assumed
}

func (r request) has(name string) bool { return r[name] != nil }

func (r request) text(name string, most int) string {
	text, is := r[name].(string)
	if !is {
		panic(badRequest)
	}
	if settings.Told("input.limits") {
		bad := strings.IndexFunc(text, func(c rune) bool { return c < ' ' && c != '\t' && c != '\n' || c == 0x7f })
		if bad >= 0 || utf8.RuneCountInString(text) > most {
			panic(badRequest)
		}
	}
	return text
}

func (r request) number(name string, least, most int) int {
	literal, is := r[name].(json.Number)
	number, err := strconv.Atoi(string(literal))
	if !is || err != nil || settings.Told("input.limits") && (number < least || number > most) {
		panic(badRequest)
	}
	if number < least && least >= 0 {
		panic(badRequest)
	}
	return number
}

func (r request) class() texts.Class { return texts.NewClass(r.text(name("class", "kind"), 100)) }

func line(name, text string) string {
	if settings.Told("output.escapes") {
		text = strings.NewReplacer("\\", `\\`, "\n", `\n`, "\t", `\t`).Replace(text)
	}
	return name + "=" + text + "\n"
}

func placed(text string, err error) string {
	if err != nil {
		panic(outOfRange)
	}
	return line("text", text)
}

var actions = map[string]func(request) string{
	"count":   func(r request) string { return fmt.Sprintf("count=%d\n", texts.Count(r.text("text", 2000), r.class())) },
	"delete":  func(r request) string { return line("text", texts.Replace(r.text("text", 2000), r.class(), "")) },
	"squeeze": squeeze,
	"mask":    mask,
	"next":    next,
	"justify": justify,
	"tabs":    tabs,
	"width":   func(r request) string { return fmt.Sprintf("width=%d\n", texts.Width(r.text("text", 2000))) },
	"cut":     cut,
	"insert": func(r request) string {
		text, piece := r.text("text", 2000), r.text(name("piece", "insert"), 2000)
		return placed(texts.Insert(text, piece, r.number("at", -1000000, 1000000)))
	},
	"split": split,
	"words": words,
}

func squeeze(r request) string {
	class := texts.NewClass("")
	if r.has(name("class", "kind")) {
		class = r.class()
	}
	return line("text", texts.Squeeze(r.text("text", 2000), class))
}

func mask(r request) string {
	with := "*"
	if settings.Told("mask.sign") || r.has(name("with", "sign")) {
		with = r.text(name("with", "sign"), 1)
	}
	if settings.Told("mask.sign") && with == "" {
		panic(badRequest)
	}
	return line("text", texts.Replace(r.text("text", 2000), r.class(), with))
}

func next(r request) string {
	text := r.text("text", 2000)
	if settings.Told("input.limits") && strings.IndexFunc(text, func(c rune) bool { return c < ' ' || c > '~' }) >= 0 {
		panic(badRequest)
	}
	return line("text", texts.Next(text))
}

func justify(r request) string {
	side, _ := r["side"].(string)
	if side == name("middle", "center") {
		side = "middle"
	} else if side != "left" && side != "right" {
		panic(badRequest)
	}
	fill := " "
	if r.has(name("fill", "pad")) {
		fill = r.text(name("fill", "pad"), 20)
	}
	return line("text", texts.Justify(r.text("text", 2000), side, r.number("length", 0, 1000), fill))
}

func tabs(r request) string {
	size := 4
	if settings.Told("columns.tabs") {
		size = 8
	}
	if r.has(name("size", "tab")) {
		size = r.number(name("size", "tab"), 1, 100)
	}
	return line("text", texts.Tabs(r.text("text", 2000), size))
}

func cut(r request) string {
	end := -1
	if r.has("end") {
		end = r.number("end", -1000000, 1000000)
	}
	return placed(texts.Cut(r.text("text", 2000), r.number("start", -1000000, 1000000), end))
}

func split(r request) string {
	last := false
	if r.has("last") {
		flag, is := r["last"].(bool)
		if !is {
			panic(badRequest)
		}
		last = flag
	}
	head, match, tail := texts.Split(r.text("text", 2000), r.text("mark", 100), last)
	if !settings.Told("output.lines") {
		return line("before", head) + line("after", tail)
	}
	return line("head", head) + line("match", match) + line("tail", tail)
}

func words(r request) string {
	found := texts.Words(r.text("text", 2000))
	if !settings.Told("output.lines") {
		return line("words", strings.Join(found, " "))
	}
	answer := fmt.Sprintf("count=%d\n", len(found))
	for _, word := range found {
		answer += line("word", word)
	}
	return answer
}

func respond(data []byte) (answer string) {
	defer func() {
		problem := recover()
		if word, is := problem.(failure); is {
			answer = "error=" + word.assumed + "\n"
			if settings.Told("errors.words") {
				answer = "error=" + word.told + "\n"
			}
		} else if problem != nil {
			panic(problem)
		}
	}()
	var r request
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if !utf8.Valid(data) || !json.Valid(data) || decoder.Decode(&r) != nil || r == nil {
		panic(badRequest)
	}
	action, _ := r["action"].(string)
	run, known := actions[action]
	if !known {
		panic(unknownAction)
	}
	return run(r)
}
