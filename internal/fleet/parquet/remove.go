//go:build parquet

package parquet

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	pq "github.com/parquet-go/parquet-go"

	"github.com/memtui/memtui/analysis/fleet"
)

// Remove removes recordings. Their rows in recordings go last, so that a fault leaves them listed, and removing again
// removes the rest. Stacks stay: others may have them.
func (s *Store) Remove(ctx context.Context, list []fleet.Recording) error {
	if len(list) == 0 {
		return nil
	}
	if _, err := os.Stat(s.dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	unlock, err := lock(ctx, s.dir)
	if err != nil {
		return err
	}
	defer unlock()
	gone := map[uint64]bool{}
	for i := range list {
		gone[list[i].Recording] = true
	}
	for _, f := range []func() error{
		func() error { return without(ctx, s, "sites", gone, func(x *fleet.Site) uint64 { return x.Recording }) },
		func() error { return without(ctx, s, "leaks", gone, func(x *fleet.Leak) uint64 { return x.Recording }) },
		func() error {
			return without(ctx, s, "curve", gone, func(x *fleet.Point) uint64 { return x.Recording })
		},
		func() error { return without(ctx, s, "types", gone, func(x *fleet.Type) uint64 { return x.Recording }) },
		func() error { return without(ctx, s, "pages", gone, func(x *fleet.Page) uint64 { return x.Recording }) },
		func() error {
			return without(ctx, s, "recordings", gone, func(x *fleet.Recording) uint64 { return x.Recording })
		},
	} {
		if err := f(); err != nil {
			return err
		}
	}
	s.known = nil
	return nil
}

// without removes the rows of recordings from the files of a table.
func without[T any](ctx context.Context, s *Store, table string, gone map[uint64]bool, of func(*T) uint64) error {
	list, err := s.paths(table, "")
	if err != nil {
		return err
	}
	own := map[string]bool{}
	for recording := range gone {
		own[fleet.Key(recording).String()] = true
	}
	for _, path := range list {
		if name := filepath.Base(path); !strings.HasPrefix(name, "merged-") {
			if len(name) >= 16 && own[name[:16]] {
				err = os.Remove(path)
			}
		} else {
			err = s.spare(rewrite(ctx, path, table, func(x *T) bool { return !gone[of(x)] }))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// rewrite leaves only some rows in a file, and removes it if there are none.
func rewrite[T any](ctx context.Context, path, table string, stays func(*T) bool) error {
	kept, all := 0, 0
	err := each(ctx, path, func(rows []T) error {
		for i := range rows {
			all++
			if stays(&rows[i]) {
				kept++
			}
		}
		return nil
	})
	switch {
	case err != nil || kept == all:
		return err
	case kept == 0:
		return os.Remove(path)
	}
	return replace(path, func(out io.Writer) error {
		w := pq.NewGenericWriter[T](out, options(table)...)
		err := each(ctx, path, func(rows []T) error {
			for i := range rows {
				if stays(&rows[i]) {
					if _, err := w.Write(rows[i : i+1]); err != nil {
						return err
					}
				}
			}
			return nil
		})
		return errors.Join(err, w.Close())
	})
}
