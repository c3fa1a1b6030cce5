package mlyze

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// TestALimitIsOneProblem reads metadata that is deeper or longer than it may be: that is told once, as a limit, and
// names and stacks after it are not missed.
func TestALimitIsOneProblem(t *testing.T) {
	deep := newFile()
	deep.meta = strings.Replace(someTables, `"line": 123`, `"x": `+strings.Repeat("[", 1001)+strings.Repeat("]", 1001)+`, "line": 123`, 1)
	for i := range 60 {
		deep.alloc(1, uint64(0x55d400001000+16*i), 8, uint64(i%2), 1).marker(1, 2)
	}
	long := newFile()
	long.meta = `{"stack_traces": {"0": [{"file_id": 0, "line": 42, "func_id": 0}]}, "files": {"0": "`
	for name, c := range map[string]struct {
		file   *file
		more   int // bytes
		events int
	}{
		"depth": {deep, 0, 120}, "length": {long, maxSearch, 0},
	} {
		r := openBytes(t, append(c.file.bytes(), strings.Repeat(" ", c.more)...))
		if len(r.events) != c.events || len(r.problems) != 1 || len(r.violations) != 1 {
			t.Errorf("%s: %d events, problems %v, violations %v", name, len(r.events), r.problems, r.violations)
			continue
		}
		for _, p := range []model.Problem{r.problems[0], {Code: r.violations[0].Rule, Message: r.violations[0].Message}} {
			if p.Code != "too-large" || !strings.Contains(p.Message, "limit of ") || !strings.Contains(p.Message, "cannot be raised") {
				t.Errorf("%s: %+v", name, p)
			}
		}
	}
}

// TestACutStreamIsOneProblem reads a compressed file of which the end is missing: that the events end within one is then no
// damage of its own.
func TestACutStreamIsOneProblem(t *testing.T) {
	f := newFile()
	for i := range 5000 {
		f.alloc(1, uint64(0x55d400001000+7919*i), uint64(i*i), uint64(i%2), uint16(i%89))
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(f.bytes()); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	for cut := packed.Len() / 2; cut < packed.Len()/2+40; cut++ { // the events end at all places within one
		r := openBytes(t, packed.Bytes()[:cut])
		if len(r.events) == 0 || r.lost != 0 || len(r.problems) != 1 || r.problems[0].Code != "compression" ||
			!strings.Contains(r.problems[0].Message, fmt.Sprintf("at byte %s of the file", model.Group(uint64(cut)))) {
			t.Fatalf("cut at %d: %d events, %d bytes lost, %v", cut, len(r.events), r.lost, r.problems)
		}
	}
}

// TestMetadataTooLargeForMemory reads metadata whose range of a stream is too large.
func TestMetadataTooLargeForMemory(t *testing.T) {
	src, err := loaders.OpenSource(t.Context(), "-", strings.NewReader(string(newFile().marker(1, 2).bytes())))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	o, err := begin(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	o.notRead(&loaders.LimitError{What: "1 of a pipe is more than the limit of 0"})
	o.deliver()
	if got := o.found.list; len(got) != 1 || got[0].Code != "too-large" || !o.tables.limited {
		t.Errorf("%+v", got)
	}
	if o.notRead(errors.New("x")); o.found.list[1].Code != "metadata-json" {
		t.Errorf("%+v", o.found.list)
	}
}

// TestWhatWasNotReadIsNotMissed reads metadata of which not all is kept: ids that it may define are no fault of the
// file.
func TestWhatWasNotReadIsNotMissed(t *testing.T) {
	var meta strings.Builder
	meta.WriteString(`{"stack_traces": {"0": [{"file_id": 0, "line": 1, "func_id": 0}]`)
	for i := 1; i < 3*checkEvery; i++ {
		fmt.Fprintf(&meta, `, "%d": [{"file_id": 0, "line": %d, "func_id": %d}]`, i, i, i)
	}
	meta.WriteString(`}, "files": {"0": "a.c"}, "functions": {"0": "f"}}`)
	whole := meta.String()
	for name, c := range map[string]struct {
		meta    string
		percent int64 // of the budget that is used
		early   bool  // while the metadata is read, not only after it
		partial bool
	}{
		"whole": {whole, 0, false, false}, "no memory to read": {whole, model.BudgetOfTables + 1, true, true},
		"no memory to keep": {whole, model.BudgetOfFile + 1, false, true}, "cut": {whole[:len(whole)/2], 0, false, true},
	} {
		budget, used := model.NewBudget(1<<30), 1<<30/100*c.percent
		if c.early {
			budget.Measured(used)
		}
		got := parseMetadata(t.Context(), []byte(c.meta), headerSize, &findings{}, budget)
		budget.Measured(used)
		stacks, _, err := got.buildStacks(t.Context(), loaders.FrameOrderAuto, &findings{}, budget)
		if err != nil || stacks.Partial != c.partial {
			t.Errorf("%s: partial %v, %v", name, stacks.Partial, err)
		}
		v := &validator{tables: got, live: map[uint64]uint64{}}
		v.event(&model.Event{Kind: model.Alloc, Addr: 1, Size: 8, ID: 1 << 30}, 0, 0)
		v.event(&model.Event{Kind: model.Marker, ID: 1 << 30}, 0, 0)
		if missed := len(v.found.list) > 0; missed != !got.partial() {
			t.Errorf("%s: %+v", name, v.found.list)
		}
	}
}
