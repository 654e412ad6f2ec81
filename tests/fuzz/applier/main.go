// Applies each patch as the API server does, and compares what comes of it with what we say comes of it.
//
// Reads lines {"name", "object", "patch", "patched"}; prints a line for each that differs, and how many there were.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

type line struct {
	Name                   string
	Object, Patch, Patched json.RawMessage
}

// Not by jsonpatch.Equal, to which null is not null.
func same(a, b []byte) bool {
	return reflect.DeepEqual(read(a), read(b))
}

func read(text []byte) (out any) {
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	if err := in.Decode(&out); err != nil {
		return err
	}
	return out
}

// As admission/plugin/webhook/mutating/dispatcher.go of k8s.io/apiserver: DecodePatch, then Apply.
func judge(one line) string {
	patch, err := jsonpatch.DecodePatch(one.Patch)
	if err != nil {
		return "no patch: " + err.Error()
	}
	patched, err := patch.Apply(one.Object)
	if err != nil {
		return "does not apply: " + err.Error()
	}
	if !same(patched, one.Patched) {
		return fmt.Sprintf("is %s, and not %s", patched, one.Patched)
	}
	return ""
}

func main() {
	in := bufio.NewReader(os.Stdin)
	count, wrong := 0, 0
	for {
		text, err := in.ReadBytes('\n')
		if len(text) > 0 {
			var one line
			if err := json.Unmarshal(text, &one); err != nil {
				fmt.Fprintln(os.Stderr, "applier:", err)
				os.Exit(2)
			}
			count++
			if said := judge(one); said != "" {
				wrong++
				fmt.Printf("%s: %s\n", one.Name, said)
			}
		}
		if err == io.EOF {
			break
		}
	}
	fmt.Printf("%d patches, %d differ\n", count, wrong)
	if wrong > 0 || count == 0 {
		os.Exit(1)
	}
}
