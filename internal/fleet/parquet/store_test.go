//go:build parquet

package parquet_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/internal/fleet/parquet"
	"github.com/memtui/memtui/internal/memtest/fleets"
)

const trace = "../../../testdata/small_kvleak.mlyze"

// made writes a fleet to a folder, and returns it with what it is like.
func made(t *testing.T, recordings int) (dir string, like *fleet.Batch, all *fleets.Memory) {
	dir, like, all = filepath.Join(t.TempDir(), "it's a fleet"), fleets.Recorded(t, trace), &fleets.Memory{}
	store := open(t, dir)
	for n := range recordings {
		b := fleets.Nth(like, n)
		all.Append(b)
		if err := store.Add(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	return dir, like, all
}

func open(t *testing.T, dir string) *parquet.Store {
	s, err := parquet.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// same expects a store to answer as rows in memory do.
func same(t *testing.T, store *parquet.Store, like *fleet.Batch, all *fleets.Memory) {
	t.Helper()
	for name, q := range fleets.Questions(like) {
		want, err := q.Ask(t.Context(), all)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := store.Ask(t.Context(), q); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v\n%+v\nwant\n%+v", name, err, got, want)
		}
	}
}

// Files answer as rows in memory do, also when recordings are added twice, and when they are merged.
func TestFilesAnswerAsRowsDo(t *testing.T) {
	dir, like, all := made(t, 40)
	if err := open(t, dir).Add(t.Context(), &all.Batch); err != nil {
		t.Fatal(err)
	}
	same(t, open(t, dir), like, all)
	fleets.Planted(t, like, open(t, dir))
	if known, err := open(t, dir).Known(t.Context(), all.Batch.Recordings[3].Recording); err != nil || !known {
		t.Errorf("what was added is unknown: %v", err)
	}
	c, err := parquet.Compact(t.Context(), dir)
	if err != nil || c.After >= c.Before/4 || c.To >= c.From/2 {
		t.Errorf("%+v, %v", c, err)
	}
	same(t, open(t, dir), like, all)
	if err := open(t, dir).Add(t.Context(), &all.Batch); err != nil { // next to the merged files
		t.Fatal(err)
	}
	same(t, open(t, dir), like, all)
	for range 2 {
		if c, err = parquet.Compact(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
	}
	same(t, open(t, dir), like, all)
	frames, err := open(t, dir).Frames(t.Context(), fleets.Odd(like))
	for _, s := range like.Stacks {
		if fleet.Key(s.Stack) == fleets.Odd(like) && !reflect.DeepEqual(frames, s.Frames) {
			t.Errorf("frames %q, want %q, %v", frames, s.Frames, err)
		}
	}
}

// DuckDB reads the files, and its answers are ours.
func TestDuckDBAnswersAsFilesDo(t *testing.T) {
	dir, like, _ := made(t, 40)
	store := open(t, dir)
	var names, queries []string
	all := fleets.Questions(like)
	for name, q := range all {
		names, queries = append(names, name), append(queries, q.SQL(store.Dialect()))
	}
	for i, r := range fleets.DuckDB(t, queries) {
		q := all[names[i]]
		want, err := store.Ask(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		got, err := q.Scan(r.Rows)
		if err != nil || r.Error != "" || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v %s\n%+v\nwant\n%+v\n%s", names[i], err, r.Error, got, want, queries[i])
		}
	}
}

// Writers, and processes that merge, do not disturb each other.
func TestWritersAndMergersAtOnce(t *testing.T) {
	dir, like, all := made(t, 8)
	for n := 8; n < 24; n++ {
		all.Append(fleets.Nth(like, n))
	}
	var at sync.WaitGroup
	for w := range 2 {
		at.Go(func() {
			store := open(t, dir)
			for n := 8; n < 24; n++ {
				if err := store.Add(t.Context(), fleets.Nth(like, n)); err != nil {
					t.Errorf("writer %d: %v", w, err)
				}
			}
		})
		at.Go(func() {
			for range 4 {
				if _, err := parquet.Compact(t.Context(), dir); err != nil {
					t.Errorf("merger %d: %v", w, err)
				}
			}
		})
	}
	at.Wait()
	same(t, open(t, dir), like, all)
}

// What was not written to its end, and what has no row in recordings, is not read.
func TestHalfAFleetIsNotRead(t *testing.T) {
	dir, like, all := made(t, 10)
	half := fleets.Nth(like, 11)
	half.Sites[3].Leaked = 1 << 60
	recording := half.Recordings
	if err := open(t, dir).Add(t.Context(), half); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "recordings", "*", "*", recording[0].ID+".parquet"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(files[0], filepath.Join(filepath.Dir(files[0]), ".writing-1")); err != nil {
		t.Fatal(err)
	}
	same(t, open(t, dir), like, all)
	q := fleets.Questions(like)["trend"]
	for n := 0; n < len(text); n += 1 + len(text)/50 { // a file that another program cut
		if err := os.WriteFile(files[0], text[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := open(t, dir).Ask(t.Context(), q); err == nil || !strings.Contains(err.Error(), recording[0].ID) {
			t.Errorf("%d of %d bytes: %v", n, len(text), err)
		}
	}
}

// No name of a service or of a day leads out of the folder.
func TestNamesStayInTheFolder(t *testing.T) {
	dir, like := filepath.Join(t.TempDir(), "deep", "fleet"), fleets.Recorded(t, trace)
	all := &fleets.Memory{}
	for n, name := range []string{"../../x", "/etc", ".", "..", "", "a/b\\c=d%2e", "CON", "*?[", strings.Repeat("ä", 300),
		strings.Repeat("ä", 299) + "b", "service=x"} {
		b := fleets.Nth(like, n)
		b.Recordings[0].Service, b.Recordings[0].Date = name, "../"+b.Recordings[0].Date
		for i := range b.Sites {
			b.Sites[i].Service = name
		}
		if err := open(t, dir).Add(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		all.Append(b)
	}
	same(t, open(t, dir), like, all)
	outside, err := os.ReadDir(filepath.Dir(dir))
	if err != nil || len(outside) != 1 {
		t.Errorf("%v, %v", outside, err)
	}
}
