package progress

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memtui/memtui/loaders"
)

const sample = "../../../testdata/small_kvleak.mlyze"

// screenLine is a terminal's last line after text: what stands in it, and how many lines stand above.
func screenLine(text string) (last string, above int) {
	cells, at := []rune{}, 0
	for _, r := range text {
		switch r {
		case '\r':
			at = 0
		case '\n':
			cells, at, above = cells[:0], 0, above+1
		default:
			cells = append(cells[:at], append([]rune{r}, cells[min(at+1, len(cells)):]...)...)
			at++
		}
	}
	return strings.TrimRight(string(cells), " "), above
}

func TestLineIsOneLine(t *testing.T) {
	var tty bytes.Buffer
	stdout, stderr, p := Watch(&tty, &tty, true, func() bool { return true })
	src := openInput(t, sample)
	p.Reads(src)
	p.Show()
	if last, _ := screenLine(tty.String()); !strings.HasPrefix(last, "memtui: reading small_kvleak.mlyze: 0 % of ") {
		t.Errorf("%q", last)
	}
	src.ReadAt(make([]byte, src.StoredSize()/2), 0)
	p.Show()
	if last, above := screenLine(tty.String()); !strings.HasPrefix(last, "memtui: reading small_kvleak.mlyze: 49 % of ") && !strings.Contains(last, ": 50 %") || above > 0 {
		t.Errorf("%q", last)
	}
	src.ReadAt(make([]byte, src.StoredSize()), 0)
	p.Show()
	if last, _ := screenLine(tty.String()); !strings.HasPrefix(last, "memtui: working on small_kvleak.mlyze, ") {
		t.Errorf("%q", last)
	}
	src.Works(0.4)
	p.Show()
	if last, _ := screenLine(tty.String()); !strings.HasPrefix(last, "memtui: working on small_kvleak.mlyze: 40 %, ") {
		t.Errorf("%q", last)
	}
	fmt.Fprintln(stderr, "a message")
	p.Show()
	fmt.Fprint(stdout, "half a li")
	p.Show()
	fmt.Fprintln(stdout, "ne")
	if got, above := screenLine(tty.String()); got != "" || above != 2 || strings.Count(tty.String(), "a message\n") != 1 || !strings.HasSuffix(tty.String(), "half a line\n") {
		t.Errorf("%q", tty.String())
	}
}

func openInput(t *testing.T, path string) *loaders.Source {
	t.Helper()
	src, err := loaders.OpenSource(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}

func TestLineEnds(t *testing.T) {
	var tty bytes.Buffer
	_, _, p := Watch(io.Discard, &tty, false, func() bool { return true })
	p.Start()
	p.Show()
	if last, _ := screenLine(tty.String()); !strings.HasPrefix(last, "memtui: working, ") {
		t.Errorf("%q", last)
	}
	p.End()
	p.Show()
	if last, above := screenLine(tty.String()); last != "" || above != 0 {
		t.Errorf("%q is left", last)
	}
}

func TestLineNeedsAWatcher(t *testing.T) {
	var out bytes.Buffer
	for _, watched := range []func() bool{nil, func() bool { return false }} {
		_, stderr, p := Watch(&out, &out, false, watched)
		p.Reads(openInput(t, sample))
		p.Start()
		p.End()
		if p != nil || stderr != io.Writer(&out) {
			t.Error("standard error is not left alone")
		}
	}
	away := true
	_, _, p := Watch(nil, &out, false, func() bool { return away })
	away = false
	if p.Show(); out.Len() > 0 {
		t.Errorf("%q from the background", out.String())
	}
}

// TestLineFits names inputs of all kinds, none of which makes a line that wraps or lets a name reach the terminal
// unfiltered.
func TestLineFits(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("宽", 70)+"\x1b[2J.gz")
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	io.CopyN(z, strings.NewReader(strings.Repeat("x", 1<<10)), 1<<10)
	z.Close()
	if err := os.WriteFile(long, zipped.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	reader, writer := io.Pipe()
	defer writer.Close()
	pipe, err := loaders.OpenSource(t.Context(), "-", reader)
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	for want, src := range map[string]*loaders.Source{"standard input: 0 B": pipe, "宽": openInput(t, long)} {
		var tty bytes.Buffer
		p := &Line{watched: func() bool { return true }, out: &tty, begun: time.Now(), sources: []*loaders.Source{src}}
		p.Show()
		if text := tty.String(); !strings.Contains(text, want) || p.shown > mostWidth || strings.Contains(text, "\x1b") {
			t.Errorf("%d columns: %q", p.shown, text)
		}
	}
}
