package symbols

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// lookEverywhere names addresses of a file that may be damaged in any way, without asking whether it is the recorded
// one.
func lookEverywhere(t testing.TB, ctx context.Context, path string, addrs []uint64) (map[uint64][]Frame, []string) {
	t.Helper()
	im, err := openImage(ctx, path)
	if err != nil {
		return nil, []string{err.Error()}
	}
	defer im.close()
	s := &search{m: &Module{Path: path}, path: path}
	frames, problems := s.names(ctx, im, addrs)
	var said []string
	for _, p := range problems {
		said = append(said, p.Message)
	}
	for a, list := range frames {
		if len(list) == 0 {
			delete(frames, a)
		} else if len(list) > maxFrames+1 {
			t.Fatalf("%#x has %d frames", a, len(list))
		}
	}
	return frames, said
}

func noDefects(t testing.TB, what string, said []string) {
	t.Helper()
	for _, s := range said {
		if strings.Contains(s, "internal error") || strings.Contains(s, "goroutine") {
			t.Errorf("%s: %s", what, s)
		}
	}
}

// Whatever is cut off or changed, reading ends, and what is left is read.
func TestDamaged(t *testing.T) {
	for _, name := range []string{"sample.full", "sample.old", "sample.debug"} {
		good := content(t, name)
		addrs, _ := expected(t, strings.Replace(name, "debug", "full", 1))
		path := filepath.Join(t.TempDir(), "shop")
		look := func(what string, b []byte) int {
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			frames, said := lookEverywhere(t, t.Context(), path, addrs)
			noDefects(t, name+" "+what, said)
			return len(frames)
		}
		whole := look("whole", good)
		if whole != len(addrs) {
			t.Errorf("%s: %d of %d addresses have names", name, whole, len(addrs))
		}
		for i := range 200 {
			look("cut", good[:len(good)*i/200])
		}
		r, named := rand.New(rand.NewPCG(1, 2)), 0
		for range 200 {
			b := append([]byte(nil), good...)
			for range 1 + r.IntN(20) {
				b[r.IntN(len(b))] = byte(r.Uint32())
			}
			named += look("changed", b)
		}
		if named < 50*whole {
			t.Errorf("%s: only %d addresses have names after changes", name, named)
		}
	}
}

// Counts that a file merely claims get no memory.
func TestClaimedNames(t *testing.T) {
	head := []byte{5, 0, 8, 0, 0, 0, 0, 0, 1, 1, 1, 0xfb, 14, 1}
	for _, tail := range [][]byte{
		{0, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f},     // folders
		{0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f},     // files
		{1, 1, 8, 0xff, 0xff, 0x03, 'a', 0, 'b', 0}, // folders with names
		{1, 1, 8, 0x03, 'a', 0, 'b', 0},             // fewer folders than are claimed
	} {
		d := &debugInfo{order: binary.LittleEndian}
		d.line = slices.Concat([]byte{byte(len(head) + len(tail)), 0, 0, 0}, head, tail)
		u := &unit{d: d, top: entry{stmtList: value{class: classOffset}}}
		if lines, err := u.readLines(nil, &work{ctx: t.Context()}); err == nil || len(lines.dirs)+len(lines.files) > 2 {
			t.Errorf("%v is accepted: %v", tail, lines)
		}
	}
}

// Tables of abbreviations that overlap would be read again for each unit.
func TestOverlappingAbbrevs(t *testing.T) {
	abbrev := make([]byte, 8<<20)
	for i := 0; i+5 < len(abbrev); i += 5 {
		copy(abbrev[i:], []byte{1, 0x11, 0, 0, 0})
	}
	var units []unitHead
	for i := range uint64(1000) {
		units = append(units, unitHead{abbrev: 5 * i})
	}
	if err := checkAbbrevs(t.Context(), abbrev, units); err == nil {
		t.Error("they are read")
	}
}

// FuzzBinary reads any bytes as a binary.
func FuzzBinary(f *testing.F) {
	for _, name := range []string{"sample.full", "sample.old", "sample.debug", "sample.stripped"} {
		f.Add(content(f, name))
	}
	addrs, _ := expected(f, "sample.full")
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "shop")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		_, said := lookEverywhere(t, t.Context(), path, addrs)
		noDefects(t, "fuzzed", said)
	})
}
