package record

import "testing"

// Programs of Go are told by what their linker writes: this test is one, the shell is not.
func TestProgramsOfGo(t *testing.T) {
	for path, want := range map[string]bool{"/proc/self/exe": true, "/bin/sh": false, "/etc": false, "/nowhere": false} {
		if isGo(path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
}
