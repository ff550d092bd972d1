package main

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// charset turns a kind of characters into a regular expression: it is written as between square brackets.
func charset(kind string) (*regexp.Regexp, error) {
	return regexp.Compile("[" + kind + "]")
}

func squeeze(text string, kind string) (string, error) {
	if kind == "" {
		kind = `\s`
	}
	set, err := charset(kind)
	if err != nil {
		return "", err
	}
	var out []rune
	for _, r := range text {
		if len(out) > 0 && out[len(out)-1] == r && set.MatchString(string(r)) {
			continue
		}
		out = append(out, r)
	}
	return string(out), nil
}

var digits = regexp.MustCompile(`\d+`)

// successor counts the last number up, and keeps its length.
func successor(text string) string {
	all := digits.FindAllStringIndex(text, -1)
	if all == nil {
		return text + "1"
	}
	place := all[len(all)-1]
	old := text[place[0]:place[1]]
	number, _ := strconv.Atoi(old)
	counted := strconv.Itoa(number + 1)
	if len(counted) < len(old) {
		counted = strings.Repeat("0", len(old)-len(counted)) + counted
	}
	return text[:place[0]] + counted + text[place[1]:]
}

func justify(text, side string, length int, fill string) string {
	runes := []rune(text)
	if len(runes) > length {
		return string(runes[:length])
	}
	missing := length - len(runes)
	switch side {
	case "right":
		return strings.Repeat(fill, missing) + text
	case "center":
		left := missing / 2
		return strings.Repeat(fill, left) + text + strings.Repeat(fill, missing-left)
	}
	return text + strings.Repeat(fill, missing)
}

func wide(r rune) int {
	if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
		return 2
	}
	return 1
}

func width(text string) int {
	total := 0
	for _, r := range text {
		total += wide(r)
	}
	return total
}

func tabs(text string, size int) string {
	var out strings.Builder
	column := 0
	for _, r := range text {
		if r == '\t' {
			blanks := size - column%size
			out.WriteString(strings.Repeat(" ", blanks))
			column += blanks
			continue
		}
		out.WriteRune(r)
		column += wide(r)
		if r == '\n' {
			column = 0
		}
	}
	return out.String()
}

func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '-' })
}
