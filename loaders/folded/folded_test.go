package folded

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/memtui/memtui/internal/memtest/hostile"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

func sample(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The sums are those of an independent program.
func TestSamples(t *testing.T) {
	for name, want := range map[string]struct {
		stacks int
		total  string
	}{
		"edge.folded": {10, "50.5"}, "google-pprof.collapsed": {30, "21696"}, "heaptrack.peak.folded": {23, "2732980"}, "perf.samples.folded": {107, "564"},
	} {
		r := hostile.Open(t, Format(), sample(t, name))
		if r.Err != nil || r.Sniffed != loaders.Maybe {
			t.Fatal(name, r.Err, r.Sniffed)
		}
		total := hostile.Sums(r.Profile)["weight"]
		if got := len(hostile.Stacks(r.Profile)); got != want.stacks || total.String() != want.total {
			t.Errorf("%s: %d stacks, %v", name, got, total)
		}
		if r.Valid() == (name == "edge.folded") {
			t.Errorf("%s: %+v", name, r.Violations)
		}
	}
}

// Blanks, empty frames, comments, repeated stacks and marks of frames are read as other tools read them.
func TestEdge(t *testing.T) {
	r := hostile.Open(t, Format(), sample(t, "edge.folded"))
	got := ""
	for _, s := range hostile.Stacks(r.Profile) {
		for _, f := range s.Frames {
			got += f.Function + "|"
		}
		w := s.Weights["weight"]
		got += w.String() + "\n"
	}
	want := "main|a|b|7\nmain|a|1.5\nmain|std::map<int, long>|operator new(unsigned long)|10\nleading|2\nmain|empty|3\nmain|trailing|4\nmain|neg|-5\n" +
		"main|two weights 10|12\nmain|inl_[i]|k_[k]|7\n日本|größe|9\n"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	p := r.Profile
	leaf := p.Stacks.Frame[p.Weights.Records.Node[8]]
	if p.Weights.FrameKind[leaf] != model.FrameKernel {
		t.Error("a frame of the kernel is none")
	}
	if len(r.Violations) != 1 || r.Violations[0].Rule != "line" || r.Violations[0].Line != 10 || p.Complete {
		t.Errorf("%+v", r.Violations)
	}
}

// wide writes text as UTF-16 with a mark.
func wide(order binary.AppendByteOrder, text string) (b []byte) {
	for _, c := range append([]uint16{0xfeff}, utf16.Encode([]rune(text))...) {
		b = order.AppendUint16(b, c)
	}
	return b
}

func TestUTF16(t *testing.T) {
	text := strings.Repeat("main;größe;😀 name 3\r\nmain;b 4\r\n", 9000)
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		r := hostile.Open(t, Format(), wide(order, text))
		if r.Err != nil || r.Sniffed != loaders.Maybe || !r.Profile.Complete || len(hostile.Stacks(r.Profile)) != 2 {
			t.Fatal(r.Err, r.Sniffed, r.Violations)
		}
		s := hostile.Stacks(r.Profile)[0]
		if w := s.Weights["weight"]; w.String() != "27000" || s.Frames[2].Function != "😀 name" {
			t.Errorf("%+v", s)
		}
	}
}

// What is no folded text is not claimed.
// TestSniffFewStacks knows files of one stack or two, as small programs have.
func TestSniffFewStacks(t *testing.T) {
	for _, text := range []string{
		"main;serve(int, int);open_session(int) 96\nmain;serve(int, int);open_session(int);session_buffer(int) 1200\n",
		"clone3;start_thread;0xd44a3 in libstdc++.so.6.0.30;0x2a36 in shop_tc 25176\n",
		"clone3;start_thread;libstdc++.so.6.0.30+0xd44a3;shop_tc+0x2a36 25176\n",
		"runtime.main;main.main;main.a 1\nruntime.goexit;main.b;main.c 2\nruntime.mcall;runtime.park_m;runtime.schedule 3\nruntime.mstart;runtime.mstart0;runtime.mstart1 4\n",
	} {
		if sniff([]byte(text)) == loaders.No {
			t.Errorf("not known: %s", text)
		}
	}
	for _, text := range []string{
		"we saw;it happened;then 3\n", "2026-11-22;host;started 3\n2026-11-23;host;went 4\n2026-11-24;host;stopped 5\n2026-11-25;host;on 6\n",
	} {
		if sniff([]byte(text)) != loaders.No {
			t.Errorf("taken for stacks: %s", text)
		}
	}
}

// A stack may be longer than what is judged.
func TestSniffOneLongStack(t *testing.T) {
	long := func(frames ...string) []byte {
		return []byte("main;" + strings.Repeat(strings.Join(frames, ";")+";", loaders.SniffLength/len(frames)))[:loaders.SniffLength]
	}
	for _, frames := range [][]string{{"f1", "g20"}, {"java.util.concurrent.Executor.run", "app.Main.lambda$main$0"},
		{"std::vector<int, std::allocator<int> >::push_back(int const&)", "operator new(unsigned long)"}, {"python app.py", "<module>", "0x7f01"}} {
		if sniff(long(frames...)) == loaders.No {
			t.Errorf("not known: %s", frames)
		}
	}
	for _, frames := range [][]string{{"var a=b", "return{c:d}"}, {" font-size:12px", "}a{color:red"}, {" and then we went on and on until dusk"},
		{"1", "2", "3"}, {"", ""}, {"\"a\"", "\"b\""}, {strings.Repeat("x", 1000)}} {
		if sniff(long(frames...)) != loaders.No {
			t.Errorf("taken for a stack: %s", frames)
		}
	}
}

func TestSniffClaimsNothingElse(t *testing.T) {
	texts := map[string]string{
		"csv":      "name;count 1\nAnn;Smith;New York 10001\nBob;Hill;Old Town 20002\nEve;Ray;Big City 30003\nJoe;Day;Sea Side 40004\n",
		"numbers":  strings.Repeat("1;2;3 4\n", 20),
		"log":      strings.Repeat("Nov 22 12:00:01 host app[17]: got a; b and c 3\n", 20),
		"access":   strings.Repeat("1.2.3.4 - - [22/Nov/2026] \"GET /a;b HTTP/1.1\" \"Mozilla/5.0 (X11; Linux)\" 200 51\n", 20),
		"json":     strings.Repeat("{\"a\": \"x; y\", \"b\": 3}\n", 20),
		"passwd":   "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n",
		"services": "tcpmux 1/tcp\necho 7/tcp\necho 7/udp\n",
		"hosts":    "127.0.0.1 localhost\n",
		"prose":    "We came; we saw it; in 1999\n",
		"table":    strings.Repeat("alpha 12\nbeta 13\n", 20),
		"c":        "int a; int b = 3;\nfor (i = 0; i < 3; i++) x += 1;\nreturn 0;\n",
		"sql":      strings.Repeat("select a; limit 3\nSELECT * FROM t;\n", 9),
		"maps":     strings.Repeat("7f00-7f10 r-xp 00000000 08:01 1234\n", 20),
		"env":      strings.Repeat("PATH=/a;/b 3\n", 20),
		"binary":   "main;a\x00 3\nmain;b 4\n",
		"blank":    "\n\n",
	}
	for _, pattern := range []string{"../../README.md", "../../docs/*.md", "*.go", "../*/*.go", "../../go.*", "../../internal/cli/*.go", "../../export/html/assets/*"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range names {
			if info, err := os.Stat(name); err != nil || info.IsDir() {
				continue
			}
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			texts[name] = string(b)
		}
	}
	for name, text := range texts {
		for from := 0; from < len(text); from += loaders.SniffLength {
			if c := sniff([]byte(text[from:min(len(text), from+loaders.SniffLength)])); c != loaders.No {
				t.Errorf("%s at %d is taken for stacks", name, from)
			}
		}
	}
	for _, text := range []string{"main;a 1\n", "a;b 1", "# of a test\nmain;a 1.5\nmain 3\n", "main;f(int, char) 1\nmain;operator new(unsigned long) 2\nmain;a 3\n"} {
		if c := sniff([]byte(text)); c != loaders.Maybe {
			t.Errorf("%q is not recognized", text)
		}
	}
}

func TestDamage(t *testing.T) {
	b := sample(t, "heaptrack.peak.folded")
	hostile.Hurt(t, Format(), b, func(cut int) bool { // a cut within a number, or between two lines, leaves a stack
		line := b[:cut]
		if i := strings.LastIndexByte(string(line), '\n'); i >= 0 {
			line = line[i+1:]
		}
		_, _, ok := split(line)
		return len(line) > 0 && !ok
	})
	hostile.Hurt(t, Format(), wide(binary.LittleEndian, string(sample(t, "edge.folded"))), func(int) bool { return false })
}

// A stack of frames without end is cut.
func TestDepth(t *testing.T) {
	r := hostile.Open(t, Format(), []byte("main;a 1\n"+strings.Repeat("f;", 70_000)+"g 2\n"))
	if r.Err != nil || !strings.Contains(fmt.Sprint(r.Violations), "stack-depth") {
		t.Errorf("%v %+v", r.Err, r.Violations)
	}
}

// FuzzOpen opens any text.
func FuzzOpen(f *testing.F) {
	f.Add(sample(f, "edge.folded"))
	f.Add(wide(binary.BigEndian, "main;b 4\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < 1<<14 {
			hostile.Open(t, Format(), b)
		}
	})
}

// Headers are as much of a file as tells what it is, so that damage in a short one is told with them.
func TestInfoTellsDamage(t *testing.T) {
	src, err := loaders.OpenSource(t.Context(), "-", bytes.NewReader(sample(t, "edge.folded")))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	p, err := Format().Info(t.Context(), src, loaders.Options{Unit: "bytes"})
	if err != nil || p.Weights != nil || p.Lost == 0 || len(p.Problems) == 0 || p.Problems[0].Code != "line" {
		t.Fatalf("%+v, %v", p, err)
	}
	if facts := fmt.Sprint(p.Meta.Facts); !strings.Contains(facts, "Unit of weights bytes") {
		t.Error(facts)
	}
}

// Equal lines that follow each other add up as others do, and what is wrong with a line is told of each.
func TestRepeatedLines(t *testing.T) {
	for line, told := range map[string]int64{"main;a 2\n": 0, "main;;a 2\n": 3, "main;a\xff 2\n": 3} {
		r := hostile.Open(t, Format(), []byte(line+line+line+"main;b 1\n"))
		count := int64(0)
		for _, p := range r.Profile.Problems {
			count += p.Count
		}
		total := hostile.Sums(r.Profile)["weight"]
		if got := len(hostile.Stacks(r.Profile)); got != 2 || total.String() != "7" || count != told {
			t.Errorf("%q: %d stacks, %v, %+v", line, got, total, r.Profile.Problems)
		}
	}
}
