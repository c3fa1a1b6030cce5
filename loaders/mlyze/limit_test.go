package mlyze

import (
	"errors"
	"strings"
	"testing"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// TestALimitIsOneProblem reads metadata that is deeper or longer than it may be: that is told once, as a limit, and names and stacks
// behind it are not missed.
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
			if p.Code != "too-large" || !strings.Contains(p.Message, "limit of ") || !strings.Contains(p.Message, "nothing lifts") {
				t.Errorf("%s: %+v", name, p)
			}
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
