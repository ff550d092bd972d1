// Package settings says what the request left open: told by an answer, or assumed.
package settings

import (
	"encoding/json"
	"os"
	"strings"
)

var values = read("settings.json")

func read(path string) map[string]map[string]string {
	found := map[string]map[string]string{}
	if data, err := os.ReadFile(path); err == nil {
		if err := json.Unmarshal(data, &found); err != nil {
			panic(err)
		}
	}
	return found
}

// Told says whether an answer settled the point "group.entry".
func Told(name string) bool {
	group, entry, _ := strings.Cut(name, ".")
	return values[group][entry] == "told"
}
