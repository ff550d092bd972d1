// canary underspec-canary-c476eb48-c5b6-4b89-8320-5412ce7570ce

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Without arguments one request is read from standard input; with a folder of cases and one for answers, all cases are run.
func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) < 2 {
		data, err := io.ReadAll(os.Stdin)
		if err == nil {
			_, err = os.Stdout.WriteString(respond(data))
		}
		return err
	}
	paths, err := filepath.Glob(filepath.Join(arguments[0], "*.json"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		if err := answer(path, arguments[1]); err != nil {
			return err
		}
	}
	return nil
}

func answer(path, target string) error {
	var file struct {
		Cases []struct{ Input json.RawMessage }
	}
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err != nil {
		return err
	}
	stem := strings.TrimSuffix(filepath.Base(path), ".json")
	for index, one := range file.Cases {
		name := filepath.Join(target, fmt.Sprintf("%s@%03d.txt", stem, index))
		if err := os.WriteFile(name, []byte(respond(one.Input)), 0o644); err != nil {
			return err
		}
	}
	return nil
}
