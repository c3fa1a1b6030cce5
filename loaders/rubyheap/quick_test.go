package rubyheap

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/memtui/memtui/loaders/internal/objects"
)

// sampleLines are those of the sample, and of a made-up dump.
func sampleLines(t *testing.T) [][]byte {
	t.Helper()
	f, err := os.Open("testdata/shop1.json.zst")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return append(bytes.Split(text, []byte("\n")), bytes.Split([]byte(small), []byte("\n"))...)
}

// TestQuick compares the reader of lines as the interpreter writes them with the one for all lines: on the sample, most
// of which it must be able to read, and on lines with bytes changed.
func TestQuick(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	quick, slow := newTwinParser(), newTwinParser()
	lines, read := sampleLines(t), 0
	for _, line := range lines {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if checkQuick(t, quick, slow, line) {
			read++
		}
		bad := bytes.Clone(line)
		for range 1 + rnd.IntN(3) {
			bad[rnd.IntN(len(bad))] = `{}[]":, \0x9e`[rnd.IntN(13)]
		}
		checkQuick(t, quick, slow, bad)
		checkQuick(t, quick, slow, line[:rnd.IntN(len(line))])
		if t.Failed() {
			return
		}
	}
	if read < len(lines)*98/100 {
		t.Errorf("only %d of %d lines were read", read, len(lines))
	}
}

// newTwinParser returns a parser with names of its own.
func newTwinParser() *parser { return newParser(objects.NewNames()) }

// checkQuick reports whether a line can be read quickly, and makes sure that both ways say the same.
func checkQuick(t *testing.T, quick, slow *parser, line []byte) bool {
	t.Helper()
	var a, b objects.Unit
	if len(line) == 0 || line[0] != '{' || !quick.quick(&a, line) {
		return false
	}
	slow.members(&b, line, 0, false)
	if kind := string(quick.line.kind); kind != "ROOT" && kind != "SHAPE" && kind != "NONE" {
		name := quick.names.Text(quick.siteName())
		if want := slow.names.Text(slow.siteName()); name != want {
			t.Errorf("%s: %q, want %q", line, name, want)
		}
	}
	if quick.line.odd != slow.line.odd {
		t.Errorf("%s: odd is %v", line, quick.line.odd)
	}
	refs, _ := a.Refs()
	if want, _ := b.Refs(); !reflect.DeepEqual(refs, want) {
		t.Errorf("%s: %x, want %x", line, refs, want)
	}
	got, want := quick.line, slow.line
	got.rawFile, got.rawMethod, got.file, got.method, want.file, want.method = nil, nil, nil, nil, nil, nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %+v, want %+v", line, got, want)
	}
	return true
}
