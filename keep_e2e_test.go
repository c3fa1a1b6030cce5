//go:build unix

package main_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest"
)

const indexSuffix = ".memtui-index"

// TestSecondOpenUsesTheIndex opens a trace twice and looks at what the program says about its index, plain and
// compressed.
func TestSecondOpenUsesTheIndex(t *testing.T) {
	plain, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(plain)
	w.Close()
	for name, content := range map[string][]byte{"trace.mlyze": plain, "trace.mlyze.gz": packed.Bytes()} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{"built", "from " + path} {
				s := start(t, 200, 50, "--index", "beside", path)
				s.WaitFor("close_session")
				s.WaitFor("complete")
				s.Send("?")
				s.WaitFor("Keys on Overview")
				s.Send("G")
				s.WaitUntil(want, func(v *memtest.VT) bool {
					for _, line := range strings.Split(v.Text(), "\n") {
						if strings.Contains(line, "Index ") && strings.Contains(line, want[:5]) {
							return true
						}
					}
					return false
				})
				s.Send("\x1b")
				s.WaitGone("Keys on Overview")
				leave(t, s)
				if _, err := os.Stat(path + indexSuffix); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestDamagedIndexIsBuiltAgain opens a trace whose index is not what it was.
func TestDamagedIndexIsBuiltAgain(t *testing.T) {
	b, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "trace.mlyze")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		s := start(t, 120, 40, "--index", "beside", path)
		s.WaitFor("close_session")
		s.WaitFor("complete")
		leave(t, s)
		index, err := os.ReadFile(path + indexSuffix)
		if err != nil {
			t.Fatal(err)
		}
		index[len(index)/2] ^= 1
		if err := os.WriteFile(path+indexSuffix, index, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
