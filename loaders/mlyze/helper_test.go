package mlyze

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// file assembles a trace: header, metadata, events.
type file struct {
	version uint32
	length  int // of the metadata as claimed; -1: the truth
	meta    string
	events  []byte
}

const someTables = `{"stack_traces": {"0": [{"file_id": 0, "line": 42, "func_id": 0}, {"file_id": 1, "line": 7, "func_id": 1}], ` +
	`"1": [{"file_id": 1, "line": 123, "func_id": 1}]}, "files": {"0": "/app/cache.py", "1": "/app/main.py"}, ` +
	`"functions": {"0": "fill_cache", "1": "main", "2": "checkpoint"}}`

func newFile() *file { return &file{version: 1, length: -1, meta: someTables} }

func (f *file) alloc(delta, addr, size, stack uint64, thread uint16) *file {
	f.events = binary.AppendUvarint(append(f.events, typeAlloc), delta)
	f.events = binary.LittleEndian.AppendUint64(f.events, addr)
	f.events = binary.AppendUvarint(binary.AppendUvarint(f.events, size), stack)
	f.events = binary.LittleEndian.AppendUint16(f.events, thread)
	return f
}

func (f *file) free(delta, addr uint64) *file {
	f.events = binary.AppendUvarint(append(f.events, typeFree), delta)
	f.events = binary.LittleEndian.AppendUint64(f.events, addr)
	return f
}

func (f *file) gc(delta, objects, size uint64) *file {
	f.events = binary.AppendUvarint(append(f.events, typeGC), delta)
	f.events = binary.AppendUvarint(binary.AppendUvarint(f.events, objects), size)
	return f
}

func (f *file) marker(delta, name uint64) *file {
	f.events = binary.AppendUvarint(append(f.events, typeMarker), delta)
	f.events = binary.AppendUvarint(f.events, name)
	return f
}

func (f *file) raw(b ...byte) *file {
	f.events = append(f.events, b...)
	return f
}

func (f *file) bytes() []byte {
	b := make([]byte, headerSize)
	copy(b, magic)
	binary.LittleEndian.PutUint32(b[4:], f.version)
	binary.LittleEndian.PutUint64(b[8:], 1_700_000_000_000_000)
	length := f.length
	if length < 0 {
		length = len(f.meta)
	}
	binary.LittleEndian.PutUint32(b[16:], uint32(length))
	return append(append(b, f.meta...), f.events...)
}

// result is everything that opening, replaying and validating a file gives.
type result struct {
	err        error // of Load
	profile    *model.Profile
	events     []model.Event
	problems   []model.Problem // of the profile and of the replay
	lost       int64
	begin      int64
	end        int64
	violations []loaders.Violation
}

func (r *result) has(code string) *model.Problem {
	for i := range r.problems {
		if r.problems[i].Code == code {
			return &r.problems[i]
		}
	}
	return nil
}

func (r *result) violation(rule string) *loaders.Violation {
	for i := range r.violations {
		if r.violations[i].Rule == rule {
			return &r.violations[i]
		}
	}
	return nil
}

func (r *result) errors() (n int) {
	for _, v := range r.violations {
		if v.Severity == model.Error {
			n++
		}
	}
	return n
}

// openBytes runs everything over b, from a file.
func openBytes(t testing.TB, b []byte) *result {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.mlyze")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	src, err := loaders.OpenSource(context.Background(), path, nil)
	if err != nil {
		return &result{err: err}
	}
	defer src.Close()
	return openSource(t, src, loaders.Options{})
}

// openPipe runs everything over b as it comes through a pipe.
func openPipe(t testing.TB, b []byte) *result {
	t.Helper()
	src, err := loaders.OpenSource(context.Background(), "-", bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	return openSource(t, src, loaders.Options{})
}

func openSource(t testing.TB, src *loaders.Source, opt loaders.Options) *result {
	t.Helper()
	ctx := context.Background()
	var store model.Store
	r := &result{}
	if r.err = load(ctx, src, opt, &store); r.err == nil {
		r.profile = store.Current()
		r.problems, r.lost = r.profile.Problems, r.profile.Lost
		for _, err := range modeltest.Check(r.profile) {
			t.Error(err)
		}
		r.replay(t)
	}
	if err := validate(ctx, src, func(v loaders.Violation) { r.violations = append(r.violations, v) }); err != nil {
		t.Error(err)
	}
	return r
}

func (r *result) replay(t testing.TB) {
	last := model.Time(0)
	r.begin, _ = r.profile.Allocations.Extent()
	r.end = r.begin
	err := r.profile.Allocations.Replay(context.Background(), func(b *model.EventBatch) error {
		for _, err := range modeltest.CheckEvents(last, b.Events) {
			t.Error(err)
		}
		for _, e := range b.Events {
			r.events = append(r.events, e)
			last = e.Time
		}
		for _, p := range b.Problems {
			r.problems = model.AddProblem(r.problems, p)
		}
		if b.Offset < r.end {
			t.Errorf("offset falls from %d to %d", r.end, b.Offset)
		}
		r.lost += b.Lost
		r.end = b.Offset
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func readTestFile(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
