// Label texts: one JSON request from standard input, lines on standard output.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

type order struct {
	Action, Text, Kind, Class, Sign, Side, Fill, Piece, Mark string
	Length, Size, Start, At                                  int
	End                                                      *int
	Last                                                     bool
}

func text(result string, err error) string {
	if err != nil {
		return "error=invalid_request"
	}
	return "text=" + result
}

func answer(data []byte) string {
	var o order
	if len(data) == 0 || json.Unmarshal(data, &o) != nil || !strings.HasPrefix(strings.TrimSpace(string(data)), "{") {
		return "error=invalid_request\n"
	}
	return run(o) + "\n"
}

func run(o order) string {
	runes := []rune(o.Text)
	switch o.Action {
	case "count", "delete", "mask":
		set, err := charset(o.Kind)
		if err != nil {
			return text("", err)
		}
		if o.Action == "count" {
			return fmt.Sprintf("count=%d", len(set.FindAllString(o.Text, -1)))
		}
		if o.Action == "mask" && o.Sign == "" {
			o.Sign = "*"
		}
		return text(set.ReplaceAllLiteralString(o.Text, o.Sign), nil)
	case "squeeze":
		return text(squeeze(o.Text, o.Kind))
	case "next":
		return text(successor(o.Text), nil)
	case "justify":
		if o.Fill == "" {
			o.Fill = " "
		}
		return text(justify(o.Text, o.Side, max(o.Length), o.Fill), nil)
	case "tabs":
		if o.Size == 0 {
			o.Size = 4
		}
		return text(tabs(o.Text, max(o.Size)), nil)
	case "width":
		return fmt.Sprintf("width=%d", width(o.Text))
	case "cut":
		end := len(runes) - 1
		if o.End != nil {
			end = *o.End
		}
		if o.Start < 0 || o.Start > end || end >= len(runes) {
			return "error=invalid_position"
		}
		return text(string(runes[o.Start:end+1]), nil)
	case "insert":
		if o.At < 0 || o.At > len(runes) {
			return "error=invalid_position"
		}
		return text(string(runes[:o.At])+o.Piece+string(runes[o.At:]), nil)
	case "split":
		return "part=" + strings.Join(strings.SplitN(o.Text, o.Mark, 2), "\npart=")
	case "words":
		return "words=" + strings.Join(words(o.Text), " ")
	}
	return "error=unknown_action"
}

func max(number int) int {
	if number < 1 {
		return 1
	}
	return number
}

func main() {
	if len(os.Args) < 3 {
		data, _ := io.ReadAll(os.Stdin)
		fmt.Print(answer(data))
		return
	}
	paths, _ := filepath.Glob(filepath.Join(os.Args[1], "*.json"))
	for _, path := range paths {
		data, _ := os.ReadFile(path)
		var file struct {
			Cases []struct{ Input json.RawMessage }
		}
		if err := json.Unmarshal(data, &file); err != nil {
			fmt.Fprintln(os.Stderr, path, err)
			os.Exit(1)
		}
		stem := strings.TrimSuffix(filepath.Base(path), ".json")
		for index, one := range file.Cases {
			out := filepath.Join(os.Args[2], fmt.Sprintf("%s@%03d.txt", stem, index))
			if err := os.WriteFile(out, []byte(answer(one.Input)), 0o644); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
	}
}
