// Reads one JSON request from standard input and writes its answer, or answers all cases of a folder.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) == 3 {
		cases(os.Args[1], os.Args[2])
		return
	}
	data, err := io.ReadAll(os.Stdin)
	must(err)
	fmt.Print(respond(data))
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func cases(folder, target string) {
	paths, err := filepath.Glob(folder + "/*.json")
	must(err)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		must(err)
		var file struct {
			Cases []struct{ Input json.RawMessage }
		}
		must(json.Unmarshal(data, &file))
		for number, one := range file.Cases {
			stem := strings.TrimSuffix(filepath.Base(path), ".json")
			must(os.WriteFile(fmt.Sprintf("%s/%s@%03d.txt", target, stem, number), []byte(respond(one.Input)), 0o666))
		}
	}
}
