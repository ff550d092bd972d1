package texts

import (
	"strings"

	"labels/settings"
)

// Length gives the length of a text.
func Length(text string) int {
	if settings.Told("input.characters") {
		return len([]rune(text))
	}
	return len(text)
}

// Justify fills a text: side is left, right or middle, where the text stands.
func Justify(text, side string, length int, fill string) string {
	missing := length - Length(text)
	if missing < 0 && !settings.Told("justify.long") {
		return string([]rune(text)[:length])
	}
	if missing <= 0 || fill == "" {
		return text
	}
	switch side {
	case "left":
		return text + filled(fill, missing)
	case "right":
		return filled(fill, missing) + text
	}
	left := (missing + 1) / 2
	if settings.Told("justify.sides") {
		left = missing / 2
	}
	return filled(fill, left) + text + filled(fill, missing-left)
}

func filled(fill string, length int) string {
	runes := []rune(fill)
	if !settings.Told("justify.fill") {
		runes = runes[:1]
	}
	return string([]rune(strings.Repeat(string(runes), length))[:length])
}

// Columns gives the columns that a character takes.
func columns(r rune) int {
	if !settings.Told("columns.widths") {
		if r >= 0x1100 {
			return 2
		}
		return 1
	}
	switch {
	case r < 0x20:
		return 0
	case r < 0x2000, r >= 0xff61 && r < 0xffa0:
		return 1
	}
	return 2
}

// Width gives the columns that a text takes.
func Width(text string) int {
	width := 0
	for _, r := range text {
		width += columns(r)
	}
	return width
}

// Tabs replaces tabs by blanks up to the next multiple of size.
func Tabs(text string, size int) string {
	var out strings.Builder
	column := 0
	for _, r := range text {
		switch {
		case r == '\t':
			blanks := size - column%size
			out.WriteString(strings.Repeat(" ", blanks))
			column += blanks
			continue
		case r == '\n' && settings.Told("columns.tabs"):
			column = 0
		default:
			column += columns(r)
		}
		out.WriteRune(r)
	}
	return out.String()
}
