package texts

import (
	"errors"
	"strings"
	"unicode"

	"labels/settings"
)

// ErrRange is a place outside of the text.
var ErrRange = errors.New("out of range")

func between(number, least, most int) int {
	if number < least {
		return least
	}
	if number > most {
		return most
	}
	return number
}

// Cut gives a piece of a text.
func Cut(text string, start, end int) (string, error) {
	runes := []rune(text)
	length := len(runes)
	open := end < 0
	if open {
		end = length
	} else if !settings.Told("places.end") {
		end++
	}
	if !settings.Told("places.range") {
		start = between(start, 0, length)
		return string(runes[start:between(end, start, length)]), nil
	}
	if start < 0 || end > length || (!open && start > end) {
		return "", ErrRange
	}
	return string(runes[between(start, 0, end):end]), nil
}

// Insert puts a piece into a text.
func Insert(text, piece string, at int) (string, error) {
	runes := []rune(text)
	if at < 0 || at > len(runes) {
		if settings.Told("places.insert") {
			return "", ErrRange
		}
		at = between(at, 0, len(runes))
	}
	return string(runes[:at]) + piece + string(runes[at:]), nil
}

// Split takes a text apart at a mark.
func Split(text, mark string, last bool) (head, match, tail string) {
	last = last && settings.Told("split.last")
	place := strings.Index(text, mark)
	if last {
		place = strings.LastIndex(text, mark)
	}
	if place < 0 {
		if last && settings.Told("split.missing") {
			return "", "", text
		}
		return text, "", ""
	}
	return text[:place], mark, text[place+len(mark):]
}

func chinese(r rune) bool {
	return r >= 0x3400 && r <= 0x4d85 || r >= 0x4e00 && r <= 0x9fcc || r >= 0x20000 && r <= 0x2b81d
}

func letter(r rune) bool {
	return unicode.IsLetter(r) && !(settings.Told("words.scripts") && chinese(r))
}

// Words finds the words of a text.
func Words(text string) []string {
	if !settings.Told("words.letters") {
		return strings.FieldsFunc(text, func(r rune) bool { return !letter(r) && !unicode.IsDigit(r) && r != '_' })
	}
	var words []string
	var word []rune
	for _, r := range text + " " {
		if letter(r) || len(word) > 0 && (r == '\'' || r == '-') {
			word = append(word, r)
		} else if len(word) > 0 {
			words = append(words, string(word))
			word = nil
		}
	}
	return words
}
