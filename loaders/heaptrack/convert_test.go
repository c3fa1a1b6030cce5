package heaptrack

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/model"
)

const rawHead = "v 10400 3\nx 7 /bin/ab\nm 1 -\nm 1 x 1000 0 1000\nm 7 /lib/xy 8000 0 800\nt 1100 0\nt 8010 1\n"

// TestRaw reads blocks with addresses: exact events, evenly spread times, addresses named by module.
func TestRaw(t *testing.T) {
	r := text(t, rawHead+"+ 10 2 5000\n- 5000\n+ ffffffffffffffff 1 ffffffffffffffff\n- 77\nc a\nR 3\n+ 8 0 5000\nc 14\nR 5\n")
	want := []model.Event{
		{Time: 2500, Addr: 0x5000, Size: 16, ID: 2}, {Time: 5000, Addr: 0x5000, Kind: model.Free},
		{Time: 7500, Addr: 1<<64 - 1, Size: 1<<64 - 1, ID: 1}, {Time: 10000, Addr: 0x77, Kind: model.Free},
		{Time: 20000, Addr: 0x5000, Size: 8},
	}
	if !reflect.DeepEqual(r.events, want) {
		t.Errorf("got %+v\nwant %+v", r.events, want)
	}
	if got := r.frames(2); !slices.Equal(got, []string{"xy+0x10", "ab+0x100"}) {
		t.Errorf("stack 2 is %q", got)
	}
	rss := r.profile.Timeline.Series[0]
	if !slices.Equal(rss.Times, []model.Time{10000, 20000}) || !slices.Equal(rss.Values, []float64{3 * 4096, 5 * 4096}) {
		t.Errorf("resident memory %+v", rss)
	}
	if r.profile.Meta.InventedAddresses || !r.profile.Meta.CoarseTimes || r.has("coarse-times") == nil || r.has("invented-addresses") != nil {
		t.Errorf("%+v %+v", r.profile.Meta, r.profile.Problems)
	}
	if len(r.violations) != 0 || r.profile.Lost != 0 {
		t.Errorf("violations %+v, lost %d", r.violations, r.profile.Lost)
	}
}

const interpretedHead = "v 10400 3\ns 4 main\ns 4 leaf\ns 3 a.c\ns 7 /bin/ab\ni 1100 4 1 3 c\nt 1 0\ni 8010 4 2 3 7 1 3 9\nt 2 1\na 10 2\na 20 1\n"

// TestInterpreted reads blocks without addresses: of equal ones the newest dies, and inlined functions are frames.
func TestInterpreted(t *testing.T) {
	r := text(t, interpretedHead+"+ 0\n+ 0\n+ 1\n- 0\n+ 1\n- 1\n- 0\n- 0\nc a\n")
	var born []int // by event: the one that its block is born at
	at := map[uint64]int{}
	for i, e := range r.events {
		if e.Kind == model.Free {
			b, ok := at[e.Addr]
			if !ok {
				b = -1
			}
			born = append(born, b)
			delete(at, e.Addr)
			continue
		}
		if _, lives := at[e.Addr]; lives {
			t.Errorf("event %d has the address of a live block", i)
		}
		at[e.Addr] = i
	}
	if !slices.Equal(born, []int{1, 4, 0, -1}) {
		t.Errorf("frees end the blocks of events %v", born)
	}
	if got := r.frames(2); !slices.Equal(got, []string{"leaf", "main", "main"}) {
		t.Errorf("stack 2 is %q", got)
	}
	if !r.profile.Meta.InventedAddresses || r.has("invented-addresses") == nil {
		t.Error("nobody says that addresses are invented")
	}
}

// TestOldest reads files of version 0, which state none: blocks have addresses in both forms.
func TestOldest(t *testing.T) {
	for name, head := range map[string]string{
		"raw":         "x /bin/ab\nX ab 1\nm -\nm x 1000 0 1000\nt 1100 0\n",
		"interpreted": "X ab 1\ns /bin/ab\ns main\ni 1100 1 2\nt 1 0\n",
	} {
		lines := head + "+ 10 1 5000\n+ 8 1 6000\nc a\n- 5000\nc 14\n"
		r := text(t, lines)
		if len(r.events) != 3 || r.events[0].Addr != 0x5000 || r.events[2].Addr != 0x5000 || r.profile.Meta.InventedAddresses || len(r.violations) > 0 {
			t.Errorf("%s: %+v %+v", name, r.events, r.violations)
		}
		if sniff([]byte(lines)) == 0 {
			t.Errorf("%s is not recognized", name)
		}
	}
}

// TestVersions reads what versions write differently.
func TestVersions(t *testing.T) {
	for _, tt := range []struct {
		lines   string
		version int
		names   string // of stack 1
	}{
		{"v 10200\ns /bin/ab\ns f g\ni 1 1 2\nt 1 0\na 1 1\n+ 0\n", 1, "f g"},
		{"v 10000 1\ns /bin/ab\ns f\ni 1 1 2\nt 1 0\na 1 1\n+ 0\n", 1, "f"},
		{"v 10100 2\ns /bin/ab\ns f\ns g\ni 1 1 2 0 0 3 0 0\nt 1 0\na 1 1\n+ 0\n", 2, "f g"},
		{"v 10400 3\ns 7 /bin/ab\ns 3 f\ng\ni 1 1 2\nt 1 0\na 1 1\n+ 0\n", 3, "f\ng"},
		{"v 10100 2\nm -\nm /bin/a b 1000 0 1000\nt 1100 0\n+ 1 1 5\n", 2, "0x1100"}, // the path ends at the blank: "b" is no address
		{"v 10400 3\nm 1 -\nm 8 /bin/a b 1000 0 1000\nt 1100 0\n+ 1 1 5\n", 3, "a b+0x100"},
		{"v 10400 3\r\ns 7 /bin/ab\r\ns 1 f\r\ni 1 1 2\r\nt 1 0\r\na 1 1\r\n+ 0\r\nc a\r\n", 3, "f"},
	} {
		r := text(t, tt.lines)
		got := strings.Join(r.frames(1), " ")
		want := tt.names
		if r.profile.Meta.Version != tt.version || got != want || len(r.events) != 1 {
			t.Errorf("%q: version %d, %q, %d events; want %q", tt.lines, r.profile.Meta.Version, got, len(r.events), want)
		}
	}
}

// TestModulesGo names an address by the modules that were there when its stack was written.
func TestModulesGo(t *testing.T) {
	r := text(t, "v 10400 3\nm 1 -\nm 4 /a/b 1000 0 100\nt 1010 0\nm 1 -\nm 4 /a/c 1000 0 100\nt 1010 0\nt 2010 0\n+ 1 1 1000\n+ 1 2 2000\n+ 1 3 3000\n")
	for id, want := range map[uint64]string{1: "b+0x10", 2: "c+0x10", 3: "0x2010"} {
		if got := r.frames(id); !slices.Equal(got, []string{want}) {
			t.Errorf("stack %d is %q, want %q", id, got, want)
		}
	}
}

// TestFacts reads what a file says about itself.
func TestFacts(t *testing.T) {
	r := text(t, "v 10400 3\nx 7 /bin/ab\nX /bin/ab -x 1\nI 1000 100\nS 13 leak:session_buffer\nS leak:other\nA\n+ 1 0 10\n")
	facts := map[string]string{}
	for _, f := range r.profile.Meta.Facts {
		facts[f.Key] = f.Value
	}
	for key, want := range map[string]string{
		"written_by": "heaptrack 1.4.0", "command": "/bin/ab -x 1", "executable": "/bin/ab", "page_size": "4.00 KiB", "machine_memory": "1.00 MiB",
		"suppressions": "leak:session_buffer, leak:other", "recording": "raw", "attached": "to a running program",
	} {
		if facts[key] != want {
			t.Errorf("%s is %q, want %q", key, facts[key], want)
		}
	}
	if r.has("attached") == nil || len(r.violations) > 0 {
		t.Errorf("attached: problem %+v, violations %+v", r.has("attached"), r.violations)
	}
}

// TestRules breaks each rule and looks for where that is told.
func TestRules(t *testing.T) {
	for _, tt := range []struct {
		rule, lines string
		line        int64
		lost        int64
	}{
		{"record-type", rawHead + "? 1\n", 8, 4}, {"record-type", rawHead + "hello\n", 8, 6},
		{"fields", rawHead + "+ 1 1\n", 8, 6}, {"fields", rawHead + "+ 1 1 12345678901234567\n", 8, 24}, {"fields", rawHead + "- zz\n", 8, 5},
		{"fields", rawHead + "t 1\n", 8, 4}, {"fields", rawHead + "c\n", 8, 2}, {"fields", "v x\n" + rawHead, 1, 4},
		{"trace-parent", rawHead + "t 1 9\n", 8, 0}, {"trace-ip", interpretedHead + "t 9 0\n", 12, 0},
		{"instruction", interpretedHead + "i 1 99\n", 12, 0},
		{"allocation", interpretedHead + "+ 2\n", 12, 4}, {"allocation", interpretedHead + "- 2\n", 12, 4},
		{"allocation", interpretedHead + "a 1 9\n", 12, 0}, {"allocation", rawHead + "+ 1 9 10\n", 8, 0},
		{"null-address", rawHead + "+ 1 1 0\n", 8, 8}, {"null-address", rawHead + "- 0\n", 8, 4},
		{"string-length", "v 10400 3\ns 5 main\nc 1\n", 2, 9}, {"string-length", "v 10400 3\ns main\n", 2, 7},
		{"version", "v 10900 9\n+ 1 0 10\n", 1, 0}, {"version", rawHead + "v 10400 3\n", 8, 10},
		{"time-falls", rawHead + "c 14\nc a\n", 9, 4}, {"truncated", rawHead + "+ 1 1 10\n+ 1 1 1", 9, 0}, {"truncated", rawHead + "+ 1 1", 8, 5}, {"truncated", rawHead + "- 1", 8, 3},
		{"line-length", rawHead + "X " + strings.Repeat("x", blockSize) + "\n", 8, blockSize + 3},
	} {
		r := text(t, tt.lines)
		v := r.broke(tt.rule)
		if v == nil || v.Line != tt.line || r.profile.Lost != tt.lost || r.has(tt.rule) == nil {
			t.Errorf("%s in %.200q: %+v of %+v, lost %d; want line %d, lost %d", tt.rule, tt.lines, v, r.violations, r.profile.Lost, tt.line, tt.lost)
			continue
		}
		if at := v.Offset; at < 0 || int64(strings.Count(tt.lines[:at], "\n"))+1 != tt.line {
			t.Errorf("%s: offset %d is not in line %d", tt.rule, at, tt.line)
		}
	}
}

// TestManyWithoutTimes reads more events than wait for a time.
func TestManyWithoutTimes(t *testing.T) {
	var b strings.Builder
	b.WriteString(rawHead)
	const n = 2*mostWaiting + 10
	for i := range n {
		fmt.Fprintf(&b, "+ 8 1 %x\n", 0x10000+16*i)
	}
	b.WriteString("c a\n")
	r := text(t, b.String())
	if len(r.events) != n || r.events[0].Time != 0 || r.events[n-1].Time != 10000 {
		t.Errorf("%d events, the last at %v", len(r.events), r.events[len(r.events)-1].Time)
	}
}

// TestDeepStacks reads a chain of stacks that is deeper than what is shown.
func TestDeepStacks(t *testing.T) {
	var b strings.Builder
	b.WriteString("v 10400 3\nx 1 a\n")
	const n = maxDepth + 100
	for i := range n {
		fmt.Fprintf(&b, "t %x %x\n", i+1, i)
	}
	fmt.Fprintf(&b, "+ 1 %x 10\nc ffffffffffffffff\n", n)
	r := text(t, b.String())
	if got := len(r.frames(n)); got != maxDepth || r.has("stack-depth") == nil {
		t.Errorf("%d frames, %+v", got, r.profile.Problems)
	}
	if r.events[0].Time != model.MaxTime {
		t.Errorf("the time beyond all is %d", r.events[0].Time)
	}
}
