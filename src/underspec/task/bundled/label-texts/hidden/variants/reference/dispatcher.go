// canary underspec-canary-ce01b502-7be9-41de-b744-aa03d5c016e3

// Answers requests with the golden library, which the composer puts under vendor/golden.
//
// It looks parameters up, calls the library and puts the answer in the contract's neutral words. What a class holds, what
// comes next, and where a text is filled or cut is never decided here.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/huandu/xstrings"
)

// refused is what cannot be done: the contract's word for it.
type refused string

type request map[string]any

func need[T any](value any, good func(T) bool) T {
	typed, is := value.(T)
	if !is || !good(typed) {
		panic(refused("bad_request"))
	}
	return typed
}

func printable(text string) bool {
	for _, r := range text {
		if (r < ' ' && r != '\t' && r != '\n') || r == 0x7f {
			return false
		}
	}
	return true
}

func (r request) text(name string, most int) string {
	return need(r[name], func(text string) bool {
		return printable(text) && utf8.RuneCountInString(text) <= most
	})
}

func (r request) optionalText(name string, most int, standard string) string {
	if r[name] == nil {
		return standard
	}
	return r.text(name, most)
}

func (r request) whole(name string, least, most int) int {
	literal := need(r[name], func(json.Number) bool { return true })
	number, err := strconv.Atoi(string(literal))
	if err != nil || number < least || number > most {
		panic(refused("bad_request"))
	}
	return number
}

func (r request) optionalWhole(name string, least, most, standard int) int {
	if r[name] == nil {
		return standard
	}
	return r.whole(name, least, most)
}

// inRange turns the library's complaint about places outside of a text into the contract's word.
func inRange(work func() string) string {
	defer func() {
		if problem := recover(); problem == "out of range" {
			panic(refused("out_of_range"))
		} else if problem != nil {
			panic(problem)
		}
	}()
	return work()
}

var shown = strings.NewReplacer("\\", `\\`, "\n", `\n`, "\t", `\t`)

func line(name, text string) string {
	return name + "=" + shown.Replace(text) + "\n"
}

const (
	longest  = 2000
	farthest = 1_000_000
)

var actions = map[string]func(request) string{
	"count": func(r request) string {
		return fmt.Sprintf("count=%d\n", xstrings.Count(r.text("text", longest), r.text("class", 100)))
	},
	"delete": func(r request) string {
		return line("text", xstrings.Delete(r.text("text", longest), r.text("class", 100)))
	},
	"squeeze": func(r request) string {
		return line("text", xstrings.Squeeze(r.text("text", longest), r.optionalText("class", 100, "")))
	},
	"mask": func(r request) string {
		text, class, with := r.text("text", longest), r.text("class", 100), r.text("with", 1)
		if with == "" {
			panic(refused("bad_request"))
		}
		// The backslash takes any meaning of its own from the character.
		return line("text", xstrings.Translate(text, class, `\`+with))
	},
	"next": func(r request) string {
		text := need(r["text"], func(text string) bool {
			return len(text) <= longest && strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) < 0
		})
		return line("text", xstrings.Successor(text))
	},
	"justify": func(r request) string {
		text, length, fill := r.text("text", longest), r.whole("length", 0, 1000), r.optionalText("fill", 20, " ")
		justify := map[string]func(string, int, string) string{
			"left": xstrings.LeftJustify, "right": xstrings.RightJustify, "middle": xstrings.Center,
		}[need(r["side"], func(string) bool { return true })]
		if justify == nil {
			panic(refused("bad_request"))
		}
		return line("text", justify(text, length, fill))
	},
	"tabs": func(r request) string {
		return line("text", xstrings.ExpandTabs(r.text("text", longest), r.optionalWhole("size", 1, 100, 8)))
	},
	"width": func(r request) string {
		return fmt.Sprintf("width=%d\n", xstrings.Width(r.text("text", longest)))
	},
	"cut": func(r request) string {
		text, start := r.text("text", longest), r.whole("start", -farthest, farthest)
		end := r.optionalWhole("end", -farthest, farthest, -1)
		return inRange(func() string { return line("text", xstrings.Slice(text, start, end)) })
	},
	"insert": func(r request) string {
		text, piece, at := r.text("text", longest), r.text("piece", longest), r.whole("at", -farthest, farthest)
		return inRange(func() string { return line("text", xstrings.Insert(text, piece, at)) })
	},
	"split": func(r request) string {
		text, mark, split := r.text("text", longest), r.text("mark", 100), xstrings.Partition
		if r["last"] != nil && need(r["last"], func(bool) bool { return true }) {
			split = xstrings.LastPartition
		}
		head, match, tail := split(text, mark)
		return line("head", head) + line("match", match) + line("tail", tail)
	},
	"words": func(r request) string {
		words := xstrings.WordSplit(r.text("text", longest))
		answer := fmt.Sprintf("count=%d\n", len(words))
		for _, word := range words {
			answer += line("word", word)
		}
		return answer
	},
}

func respond(data []byte) (answer string) {
	defer func() {
		problem := recover()
		if word, is := problem.(refused); is {
			answer = "error=" + string(word) + "\n"
		} else if problem != nil {
			panic(problem)
		}
	}()
	var value any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if !utf8.Valid(data) || !json.Valid(data) || decoder.Decode(&value) != nil {
		panic(refused("bad_request"))
	}
	r := request(need(value, func(map[string]any) bool { return true }))
	name, _ := r["action"].(string)
	action := actions[name]
	if action == nil {
		panic(refused("unknown_action"))
	}
	return action(r)
}
