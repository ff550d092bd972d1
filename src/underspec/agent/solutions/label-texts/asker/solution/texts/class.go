// Package texts works on the texts of labels.
package texts

import (
	"strings"

	"labels/settings"
)

type span struct{ low, high rune }

// Class is a set of characters.
type Class struct {
	spans  []span
	others bool
	Empty  bool
}

// NewClass reads a class as it is written.
func NewClass(written string) Class {
	class := Class{Empty: written == ""}
	runes := []rune(written)
	sign := '!'
	if settings.Told("classes.negation") {
		sign = '^'
	}
	if len(runes) > 0 && runes[0] == sign {
		class.others = true
		runes = runes[1:]
	}
	if settings.Told("classes.hyphens") {
		class.read(runes)
	} else {
		class.readUsual(runes)
	}
	return class
}

// next gives one character, and whether a backslash stood before it.
func next(runes []rune) (rune, bool, []rune) {
	if settings.Told("classes.escapes") && runes[0] == '\\' {
		if len(runes) == 1 {
			return 0, false, nil
		}
		return runes[1], true, runes[2:]
	}
	return runes[0], false, runes[1:]
}

func (c *Class) read(runes []rune) {
	var last rune
	open, ranging := false, false
	for len(runes) > 0 {
		trailing := settings.Told("classes.escapes") && len(runes) == 1 && runes[0] == '\\'
		r, escaped, rest := next(runes)
		runes = rest
		switch {
		case trailing:
		case r == '-' && !escaped:
			ranging = open
		case ranging && r != last:
			c.add(last, r)
			open, ranging = false, false
		default:
			ranging = false
			c.add(r, r)
			last, open = r, true
		}
	}
}

// readUsual reads classes as regular expressions have them.
func (c *Class) readUsual(runes []rune) {
	for len(runes) > 0 {
		r, _, rest := next(runes)
		if len(rest) > 1 && rest[0] == '-' {
			c.add(r, rest[1])
			rest = rest[2:]
		} else {
			c.add(r, r)
		}
		runes = rest
	}
}

func (c *Class) add(low, high rune) {
	if low > high && settings.Told("classes.ranges") {
		low, high = high, low
	}
	c.spans = append(c.spans, span{low, high})
}

// Has says whether a character is in the class.
func (c Class) Has(r rune) bool {
	for _, one := range c.spans {
		if one.low <= r && r <= one.high {
			return !c.others
		}
	}
	return c.others
}

// Count counts the characters of the class.
func Count(text string, class Class) int {
	count := 0
	for _, r := range text {
		if class.Has(r) {
			count++
		}
	}
	return count
}

// Replace puts a text in the place of each character of the class.
func Replace(text string, class Class, with string) string {
	var out strings.Builder
	for _, r := range text {
		if class.Has(r) {
			out.WriteString(with)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// Squeeze makes runs of a character one.
func Squeeze(text string, class Class) string {
	all := class.Empty && settings.Told("squeeze.class")
	if class.Empty && !all {
		class = NewClass(" ")
	}
	var out strings.Builder
	last := rune(-1)
	for _, r := range text {
		if r != last || !(all || class.Has(r)) {
			out.WriteRune(r)
		}
		last = r
	}
	return out.String()
}
