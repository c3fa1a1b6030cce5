//go:build parquet

package parquet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	pq "github.com/parquet-go/parquet-go"

	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/model"
)

// Store is a folder.
type Store struct {
	dir    string
	known  map[uint64]*fleet.Recording // nil until they are read
	stacks map[string]map[uint64]bool  // that a service has, by service
	warned
}

// warned is what could not be read. Any goroutine may use it.
type warned struct {
	mu   sync.Mutex
	list []string
	said map[string]bool // paths
}

func (w *warned) warn(path, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.said[path] {
		w.said[path] = true
		w.list = append(w.list, text)
	}
}

// isDamaged reports whether a file could not be read.
func (w *warned) isDamaged(path string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.said[path]
}

// renew forgets that a file could not be read: it is written anew.
func (w *warned) renew(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.said, path)
}

// Warnings returns what could not be read since it was called last, each once.
func (w *warned) Warnings() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := w.list
	w.list = nil
	return list
}

// Open returns the fleet in a folder, which is made when something is added.
func Open(dir string) (*Store, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder", dir)
	}
	return &Store{dir: dir, stacks: map[string]map[uint64]bool{}, warned: warned{said: map[string]bool{}}}, nil
}

// paths returns the files of a table, of a service or of all where that is "".
func (s *Store) paths(table, service string) ([]string, error) {
	return paths(s.dir, table, service, func(path string) {
		s.warn("strange", model.Clean(path)+" is not of a fleet: it is left out, as are others")
	})
}

// spare turns the error about a damaged file into a warning.
func (s *Store) spare(err error) error {
	var damaged *unreadable
	if errors.As(err, &damaged) {
		s.warn(damaged.path, damaged.Error()+": what it holds is missing until the recordings are added again")
		return nil
	}
	return err
}

// Known returns a recording that was added already and can be read, nil if there is none.
func (s *Store) Known(ctx context.Context, recording uint64) (*fleet.Recording, error) {
	if s.known == nil {
		known := map[uint64]*fleet.Recording{}
		err := again(func() error {
			return rows(ctx, s, "recordings", "", func(r *fleet.Recording) {
				one := *r
				one.Labels = slices.Clone(r.Labels)
				known[r.Recording] = &one
			})
		})
		if err != nil {
			return nil, err
		}
		s.known = known
	}
	r := s.known[recording]
	if r == nil {
		return nil, nil
	}
	if ok, err := s.isComplete(ctx, r); !ok {
		return nil, err
	}
	return r, nil
}

// dayOf returns the folder of the day of a recording, within that of a table.
func dayOf(r *fleet.Recording) string {
	return filepath.Join("service="+encoded(r.Service), "date="+encoded(r.Date))
}

// isComplete reports whether what a fleet has of a recording can be read: its own files, or those that are merged.
func (s *Store) isComplete(ctx context.Context, r *fleet.Recording) (bool, error) {
	own, day := fleet.Key(r.Recording).String(), dayOf(r)
	alone, err := filepath.Glob(literal(filepath.Join(s.dir, "recordings", day)) + "/" + own + "*" + suffix)
	if err != nil {
		return false, err
	}
	for _, table := range tables {
		list, err := filepath.Glob(literal(filepath.Join(s.dir, table, day)) + "/*" + suffix)
		if err != nil {
			return false, err
		}
		for _, path := range list {
			isOwn := strings.HasPrefix(filepath.Base(path), own)
			switch {
			case isOwn:
				err = verify(ctx, path)
			case len(alone) == 0 && strings.HasPrefix(filepath.Base(path), "merged-"):
				err = open(path, func(*pq.File) error { return nil })
			}
			if err = s.spare(err); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return false, err
			}
			if s.isDamaged(path) && (isOwn || len(alone) == 0) {
				return false, nil
			}
		}
	}
	return true, nil
}

// literal returns a path as a pattern that matches nothing else.
func literal(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// tables are the names of all tables, that of recordings last.
var tables = []string{"stacks", "sites", "leaks", "curve", "types", "pages", "recordings"}

// numbers calls f with columns of numbers of the files of a table. Parts without some numbers in the first column are left
// out, none where only is nil.
func (s *Store) numbers(ctx context.Context, table, service string, only map[uint64]bool,
	f func(columns [][]uint64), names ...string) error {
	list, err := s.paths(table, service)
	if err != nil {
		return err
	}
	return numbers(ctx, list, s.spare, among(only), f, names...)
}

// again repeats what found that files were replaced by a merged one.
func again(f func() error) (err error) {
	for range 5 {
		if err = f(); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return err
}

// rowsOf returns the rows of a recording.
func rowsOf[T any](all []T, of func(*T) uint64, recording uint64) (rows []T) {
	for i := range all {
		if of(&all[i]) == recording {
			rows = append(rows, all[i])
		}
	}
	return rows
}

// Add writes the files of recordings.
func (s *Store) Add(ctx context.Context, b *fleet.Batch) error {
	stacks := map[uint64]*fleet.Stack{}
	for i := range b.Stacks {
		stacks[b.Stacks[i].Stack] = &b.Stacks[i]
	}
	sites := map[uint64][]fleet.Site{}
	for _, x := range b.Sites {
		sites[x.Recording] = append(sites[x.Recording], x)
	}
	for i := range b.Recordings {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r := &b.Recordings[i]
		lacks, err := s.newStacks(ctx, r.Service, sites[r.Recording], stacks)
		if err != nil {
			return err
		}
		err = errors.Join(
			put(s, r, "stacks", lacks), put(s, r, "sites", sites[r.Recording]),
			put(s, r, "leaks", rowsOf(b.Leaks, func(x *fleet.Leak) uint64 { return x.Recording }, r.Recording)),
			put(s, r, "curve", rowsOf(b.Curve, func(x *fleet.Point) uint64 { return x.Recording }, r.Recording)),
			put(s, r, "types", rowsOf(b.Types, func(x *fleet.Type) uint64 { return x.Recording }, r.Recording)),
			put(s, r, "pages", rowsOf(b.Pages, func(x *fleet.Page) uint64 { return x.Recording }, r.Recording)),
		)
		if err == nil { // last: it makes the others count
			err = put(s, r, "recordings", b.Recordings[i:i+1])
		}
		if err != nil {
			return err
		}
		for _, x := range lacks {
			s.stacks[r.Service][x.Stack] = true
		}
		if s.known != nil {
			s.known[r.Recording] = r
		}
	}
	return nil
}

// AtOnce returns 0: recordings have files of their own, and where a disk is full, those before are added.
func (s *Store) AtOnce() int { return 0 }

// put writes rows of a recording. A damaged file without rows to replace it goes.
func put[T any](s *Store, r *fleet.Recording, table string, rows []T) error {
	path := filepath.Join(s.dir, table, dayOf(r), encoded(r.ID)+suffix)
	switch {
	case len(rows) > 0:
		s.renew(path)
		return write(path, table, rows)
	case s.isDamaged(path):
		return os.Remove(path)
	}
	return nil
}

// newStacks returns the stacks of sites that the service lacks.
func (s *Store) newStacks(ctx context.Context, service string, sites []fleet.Site,
	all map[uint64]*fleet.Stack) (lacks []fleet.Stack, err error) {
	if s.stacks[service] == nil {
		known := map[uint64]bool{}
		err = again(func() error {
			return s.numbers(ctx, "stacks", service, nil, func(columns [][]uint64) {
				for _, key := range columns[0] {
					known[key] = true
				}
			}, "stack")
		})
		if err != nil {
			return nil, err
		}
		s.stacks[service] = known
	}
	for i := range sites {
		if key := sites[i].Stack; !s.stacks[service][key] && all[key] != nil {
			lacks = append(lacks, *all[key])
		}
	}
	return lacks, nil
}

// Dialect returns the SQL of DuckDB over the files.
func (s *Store) Dialect() fleet.Dialect { return fleet.DuckDB(s.dir) }

// Ask returns the answer to a question, computed from the files.
func (s *Store) Ask(ctx context.Context, q *fleet.Question) (a *fleet.Answer, err error) {
	err = again(func() error {
		a, err = q.Ask(ctx, s)
		return err
	})
	return a, err
}

// Stack returns a stack, nil if the fleet has none of that key.
func (s *Store) Stack(ctx context.Context, key fleet.Key) (found *fleet.Stack, err error) {
	err = again(func() error {
		list, err := s.paths("stacks", "")
		for _, path := range list {
			if err != nil {
				break
			}
			err = s.spare(having(ctx, path, "stack", uint64(key), func(x *fleet.Stack) {
				if x.Recipe == fleet.Recipe {
					found = x
				}
			}))
		}
		return err
	})
	return found, err
}

// List returns the recordings that a filter selects, the newest first, each once.
func (s *Store) List(ctx context.Context, f *fleet.Filter) (list []fleet.Recording, err error) {
	if _, err := os.Stat(s.dir); err != nil {
		return nil, err
	}
	err = again(func() error {
		list = nil
		return rows(ctx, s, "recordings", f.Service, func(r *fleet.Recording) { list = append(list, *r) })
	})
	return fleet.Once(slices.DeleteFunc(list, func(r fleet.Recording) bool { return !f.Holds(&r) })), err
}

// Names returns the names that recordings have in a column: service, version, host or labels.
func (s *Store) Names(ctx context.Context, column string) (names []string, err error) {
	if _, err := os.Stat(s.dir); err != nil {
		return nil, err
	}
	err = again(func() error {
		names = nil
		return rows(ctx, s, "recordings", "", func(r *filtered) {
			one := fleet.Recording{Recipe: r.Recipe, Service: r.Service, Version: r.Version, Host: r.Host, Labels: r.Labels}
			if (&fleet.Filter{}).Holds(&one) {
				names = append(names, one.Named(column)...)
			}
		})
	})
	slices.Sort(names)
	return slices.Compact(names), err
}

// filtered is a row of the table recordings with what filters name: other columns take two thirds of the time.
type filtered struct {
	Recipe  string   `parquet:"recipe"`
	Service string   `parquet:"service"`
	Version string   `parquet:"version"`
	Host    string   `parquet:"host"`
	Labels  []string `parquet:"labels,list"`
}

// Places returns the names of all things of a kind.
func (s *Store) Places(ctx context.Context, what fleet.What) (list []fleet.Place, err error) {
	all := map[fleet.Place]bool{}
	err = again(func() error {
		switch what {
		case fleet.Types:
			return rows(ctx, s, "types", "", func(x *fleet.Type) { all[fleet.Place{Type: x.Name}] = true })
		case fleet.Pages:
			return rows(ctx, s, "pages", "", func(x *fleet.Page) { all[fleet.Place{Type: x.Item()}] = true })
		}
		return rows(ctx, s, "stacks", "", func(x *fleet.Stack) { all[fleet.Place{Function: x.Function, File: x.File}] = true })
	})
	for p := range all {
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b fleet.Place) int { return strings.Compare(a.String(), b.String()) })
	return list, err
}

// Recordings implements [fleet.Rows].
func (s *Store) Recordings(ctx context.Context, service string) (all []fleet.Recording, err error) {
	err = rows(ctx, s, "recordings", service, func(r *fleet.Recording) { all = append(all, *r) })
	if err == nil && len(all) == 0 {
		if list, err := s.paths("recordings", ""); err != nil || len(list) == 0 {
			return nil, cmp.Or(err, fmt.Errorf("%s holds no fleet: it has no files of recordings, which memtui fleet add --to writes", model.Clean(s.dir)))
		}
	}
	return all, err
}

// Sites implements [fleet.Rows].
func (s *Store) Sites(ctx context.Context, figure fleet.Figure, services []string, only map[uint64]bool,
	f func(recordings, stacks, values []uint64)) error {
	for _, service := range services {
		err := s.numbers(ctx, "sites", service, only, func(columns [][]uint64) {
			f(columns[1], columns[0], columns[2])
		}, "stack", "recording", string(figure))
		if err != nil {
			return err
		}
	}
	return nil
}

// Leaks implements [fleet.Rows].
func (s *Store) Leaks(ctx context.Context, services []string, f func(*fleet.Leak)) error {
	return ofServices(ctx, s, "leaks", services, f)
}

// Types implements [fleet.Rows].
func (s *Store) Types(ctx context.Context, services []string, f func(*fleet.Type)) error {
	return ofServices(ctx, s, "types", services, f)
}

// Pages implements [fleet.Rows].
func (s *Store) Pages(ctx context.Context, services []string, f func(*fleet.Page)) error {
	return ofServices(ctx, s, "pages", services, f)
}

// Curve implements [fleet.Rows].
func (s *Store) Curve(ctx context.Context, services []string, f func(*fleet.Point)) error {
	return ofServices(ctx, s, "curve", services, f)
}

// Stacks implements [fleet.Rows].
func (s *Store) Stacks(ctx context.Context, services []string, f func(*fleet.Stack)) error {
	return ofServices(ctx, s, "stacks", services, func(r *named) {
		f(&fleet.Stack{Stack: r.Stack, Recipe: r.Recipe, Function: r.Function, File: r.File})
	})
}

// named is a row of the table stacks without frames, which take nine tenths of the time.
type named struct {
	Stack    uint64 `parquet:"stack"`
	Recipe   string `parquet:"recipe"`
	Function string `parquet:"function"`
	File     string `parquet:"file"`
}

func ofServices[T any](ctx context.Context, s *Store, table string, services []string, f func(*T)) error {
	for _, service := range services {
		if err := rows(ctx, s, table, service, f); err != nil {
			return err
		}
	}
	return nil
}

// rows calls f with the rows of a table, of a service or of all where that is "".
func rows[T any](ctx context.Context, s *Store, table, service string, f func(*T)) error {
	list, err := s.paths(table, service)
	for _, path := range list {
		if err != nil {
			break
		}
		err = s.spare(each(ctx, path, func(rows []T) error {
			for i := range rows {
				f(&rows[i])
			}
			return nil
		}))
	}
	return err
}
