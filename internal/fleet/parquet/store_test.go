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

// Files answer as rows in memory do, also when recordings are added twice, and when they are merged.
func TestFilesAnswerAsRowsDo(t *testing.T) {
	dir, like, all := made(t, 20)
	if err := open(t, dir).Add(t.Context(), &all.Batch); err != nil {
		t.Fatal(err)
	}
	fleets.Same(t, open(t, dir), like, all)
	fleets.Planted(t, like, open(t, dir))
	if known, err := open(t, dir).Known(t.Context(), all.Batch.Recordings[3].Recording); err != nil || !reflect.DeepEqual(known, &all.Batch.Recordings[3]) {
		t.Errorf("what was added is known as %+v, %v", known, err)
	}
	c, err := parquet.Compact(t.Context(), dir)
	if err != nil || c.After >= c.Before/2 || c.To >= c.From/2 {
		t.Errorf("%+v, %v", c, err)
	}
	fleets.Same(t, open(t, dir), like, all)
	if err := open(t, dir).Add(t.Context(), &all.Batch); err != nil { // next to the merged files
		t.Fatal(err)
	}
	fleets.Same(t, open(t, dir), like, all)
	for range 2 {
		if c, err = parquet.Compact(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
	}
	fleets.Same(t, open(t, dir), like, all)
	fleets.Listed(t, open(t, dir), like, all)
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
	for i := range names { // what recordings they are of
		queries = append(queries, all[names[i]].BasisSQL(store.Dialect()))
	}
	results := fleets.DuckDB(t, queries)
	for i, name := range names {
		q, basis := all[name], results[len(names)+i]
		want, err := store.Ask(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		got, err := q.Scan(results[i].Rows)
		if err == nil {
			got.Basis, err = q.ScanBasis(basis.Rows)
		}
		if err != nil || results[i].Error+basis.Error != "" || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v %s%s\n%+v\nwant\n%+v\n%s", name, err, results[i].Error, basis.Error, got, want, queries[i])
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
	fleets.Same(t, open(t, dir), like, all)
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
	fleets.Same(t, open(t, dir), like, all)
	for n := 0; n < len(text); n += 1 + len(text)/4 { // a file that another program cut
		if err := os.WriteFile(files[0], text[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		damaged(t, dir, like, all, recording[0].ID)
	}
}

// damaged expects a fleet to answer as without a file whose path has a word, with one warning about it.
func damaged(t *testing.T, dir string, like *fleet.Batch, all *fleets.Memory, word string) {
	t.Helper()
	store := open(t, dir)
	fleets.Same(t, store, like, all)
	if list := store.Warnings(); len(list) != 1 || !strings.Contains(list[0], word) {
		t.Errorf("warnings %q about %s", list, word)
	}
}

// A damaged file of any table ends no question, the recording is not known any more, and adding it again repairs that,
// also where the damaged file is one of many recordings. Merging leaves it alone.
func TestDamagedFilesAreRepaired(t *testing.T) {
	for _, table := range []string{"stacks", "sites", "leaks", "types", "pages", "recordings"} {
		for _, isMerged := range []bool{false, true} {
			dir, like, all := made(t, 7)
			if isMerged {
				if _, err := parquet.Compact(t.Context(), dir); err != nil {
					t.Fatal(err)
				}
			}
			files, err := filepath.Glob(filepath.Join(dir, table, "service=shop", "*", "*.parquet"))
			if err != nil || len(files) == 0 {
				t.Fatal(table, files, err)
			}
			text, err := os.ReadFile(files[0])
			if err == nil {
				err = os.WriteFile(files[0], text[:len(text)*2/3], 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			c, err := parquet.Compact(t.Context(), filepath.Clean(dir))
			if err != nil || !isMerged && table != "stacks" && len(c.Damaged) != 1 {
				t.Errorf("%s: merging: %+v, %v", table, c, err)
			}
			store, again := open(t, dir), 0
			for n := range 7 {
				b := fleets.Nth(like, n)
				known, err := store.Known(t.Context(), b.Recordings[0].Recording)
				if err != nil {
					t.Fatal(table, err)
				}
				if known == nil {
					again++
					if err := store.Add(t.Context(), b); err != nil {
						t.Fatal(table, err)
					}
				}
			}
			if again == 0 || again == 7 {
				t.Errorf("%s, merged %v: %d were added again", table, isMerged, again)
			}
			fleets.Same(t, open(t, dir), like, all)
		}
	}
}

// What is not of a fleet is left out, and said once.
func TestForeignFilesAreLeftOut(t *testing.T) {
	dir, like, all := made(t, 6)
	days, err := filepath.Glob(filepath.Join(dir, "sites", "*", "*"))
	if err != nil || len(days) == 0 {
		t.Fatal(err)
	}
	for _, path := range []string{"README", "sites/.DS_Store", "sites/notes.txt", "recordings/x", filepath.Join(strings.TrimPrefix(days[0], dir), "a.csv"),
		filepath.Join(strings.TrimPrefix(days[0], dir), ".b.parquet"), "sites/service=shop/file"} {
		if err := os.WriteFile(filepath.Join(dir, path), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	damaged(t, dir, like, all, "is not of a fleet")
	if _, err := parquet.Compact(t.Context(), dir); err != nil {
		t.Error(err)
	}
	err = os.RemoveAll(filepath.Join(dir, "pages"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "pages"), nil, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, dir).Ask(t.Context(), &fleet.Question{Figure: fleet.Leaked}); err != nil {
		t.Error(err)
	}
}

// No name of a service or of a day leads out of the folder.
func TestNamesStayInTheFolder(t *testing.T) {
	dir, like := filepath.Join(t.TempDir(), "deep", "fleet"), fleets.Recorded(t, trace)
	all := &fleets.Memory{}
	for n, name := range []string{"../../x", "/etc", ".", "..", "", "a/b\\c=d%2e", "CON", "*?[", strings.Repeat("ä", 300),
		strings.Repeat("ä", 299) + "b", "service=x"} {
		b := fleets.Nth(like, n)
		b.Recordings[0].Date = "../" + b.Recordings[0].Date
		fleets.Rename(b, name)
		if err := open(t, dir).Add(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		all.Append(b)
	}
	fleets.Same(t, open(t, dir), like, all)
	outside, err := os.ReadDir(filepath.Dir(dir))
	if err != nil || len(outside) != 1 {
		t.Errorf("%v, %v", outside, err)
	}
}
