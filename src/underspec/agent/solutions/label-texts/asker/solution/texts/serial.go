package texts

import "labels/settings"

func counts(r rune) bool {
	letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	return r >= '0' && r <= '9' || letter && settings.Told("next.letters")
}

// Next gives the serial number that comes after this one.
func Next(text string) string {
	runes := []rune(text)
	first := -1
	for place := len(runes) - 1; place >= 0; place-- {
		if !counts(runes[place]) {
			if first >= 0 && !settings.Told("next.passing") {
				break
			}
			continue
		}
		first = place
		start, carried := map[rune]rune{'z': 'a', 'Z': 'A', '9': '0'}[runes[place]]
		if !carried {
			runes[place]++
			return string(runes)
		}
		runes[place] = start
	}
	if first < 0 {
		return nothingCounts(runes)
	}
	more := runes[first]
	if more == '0' && !settings.Told("next.overflow") {
		more = '1'
	}
	return string(runes[:first]) + string(more) + string(runes[first:])
}

func nothingCounts(runes []rune) string {
	if !settings.Told("next.nothing") {
		return string(runes) + "1"
	}
	if len(runes) > 0 {
		runes[len(runes)-1]++
	}
	return string(runes)
}
