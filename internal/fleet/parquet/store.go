//go:build parquet

package parquet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/memtui/memtui/analysis/fleet"
)

// Store is a folder.
type Store struct {
	dir    string
	known  map[uint64]bool            // recordings; nil until they are read
	stacks map[string]map[uint64]bool // that a service has, by service
}

// Open returns the fleet in a folder, which is made when something is added.
func Open(dir string) (*Store, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder", dir)
	}
	return &Store{dir: dir, stacks: map[string]map[uint64]bool{}}, nil
}

// Known reports whether a recording was added already.
func (s *Store) Known(ctx context.Context, recording uint64) (bool, error) {
	if s.known == nil {
		known, err := s.keys(ctx, "recordings", "", "recording")
		if err != nil {
			return false, err
		}
		s.known = known
	}
	return s.known[recording], nil
}

// keys returns the numbers in a column of a table.
func (s *Store) keys(ctx context.Context, table, service, name string) (map[uint64]bool, error) {
	out := map[uint64]bool{}
	return out, again(func() error {
		list, err := paths(s.dir, table, service)
		for _, path := range list {
			err = errors.Join(err, numbers(ctx, path, func(columns [][]uint64) {
				for _, key := range columns[0] {
					out[key] = true
				}
			}, name))
		}
		return err
	})
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
			s.known[r.Recording] = true
		}
	}
	return nil
}

// put writes rows of a recording.
func put[T any](s *Store, r *fleet.Recording, table string, rows []T) error {
	if len(rows) == 0 {
		return nil
	}
	return write(filepath.Join(s.dir, table, "service="+encoded(r.Service), "date="+encoded(r.Date), encoded(r.ID)+suffix), table, rows)
}

// newStacks returns the stacks of sites that the service lacks.
func (s *Store) newStacks(ctx context.Context, service string, sites []fleet.Site,
	all map[uint64]*fleet.Stack) (lacks []fleet.Stack, err error) {
	known := s.stacks[service]
	if known == nil {
		if known, err = s.keys(ctx, "stacks", service, "stack"); err != nil {
			return nil, err
		}
		s.stacks[service] = known
	}
	for i := range sites {
		if key := sites[i].Stack; !known[key] && all[key] != nil {
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

// Frames returns the frames of a stack, leaf first.
func (s *Store) Frames(ctx context.Context, key fleet.Key) (frames []string, err error) {
	err = again(func() error {
		return s.eachStack(ctx, "", func(x *fleet.Stack) {
			if x.Recipe == fleet.Recipe && fleet.Key(x.Stack) == key {
				frames = append([]string(nil), x.Frames...)
			}
		})
	})
	return frames, err
}

// Recordings implements [fleet.Rows].
func (s *Store) Recordings(ctx context.Context) (all []fleet.Recording, err error) {
	list, err := paths(s.dir, "recordings", "")
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%s holds no fleet: it has no files of recordings", s.dir)
	}
	for _, path := range list {
		if err != nil {
			break
		}
		err = each(ctx, path, func(rows []fleet.Recording) error {
			all = append(all, rows...)
			return nil
		})
	}
	return all, err
}

// Sites implements [fleet.Rows].
func (s *Store) Sites(ctx context.Context, figure fleet.Figure, services []string, f func(recording, stack, value uint64)) error {
	for _, service := range services {
		list, err := paths(s.dir, "sites", service)
		if err != nil {
			return err
		}
		for _, path := range list {
			err := numbers(ctx, path, func(columns [][]uint64) {
				for i, value := range columns[2] {
					f(columns[0][i], columns[1][i], value)
				}
			}, "recording", "stack", string(figure))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Stacks implements [fleet.Rows].
func (s *Store) Stacks(ctx context.Context, services []string, f func(*fleet.Stack)) error {
	for _, service := range services {
		if err := s.eachStack(ctx, service, f); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) eachStack(ctx context.Context, service string, f func(*fleet.Stack)) error {
	list, err := paths(s.dir, "stacks", service)
	for _, path := range list {
		if err != nil {
			break
		}
		err = each(ctx, path, func(rows []fleet.Stack) error {
			for i := range rows {
				f(&rows[i])
			}
			return nil
		})
	}
	return err
}
