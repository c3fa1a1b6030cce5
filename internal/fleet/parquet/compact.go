//go:build parquet

package parquet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	pq "github.com/parquet-go/parquet-go"

	"github.com/memtui/memtui/analysis/fleet"
)

// merging merges files, with another one for what does not fit into memory.
type merging func(ctx context.Context, list []string, out io.Writer, scratch io.ReadWriteSeeker) error

// Compact replaces the files of each day of a service by one, sorted by stack and recording. Files that are written
// meanwhile stay. Rows are in both the old files and the merged one for a moment, which changes no answer.
// What is damaged stays as it is.
func Compact(ctx context.Context, dir string) (c Compacted, err error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return c, cmp.Or(err, fmt.Errorf("%s is not a folder", dir))
	}
	unlock, err := lock(ctx, dir)
	if err != nil {
		return c, err
	}
	defer unlock()
	for _, t := range []struct {
		table string
		merge merging
	}{
		{"stacks", merger[fleet.Stack]("stacks")}, {"sites", merger[fleet.Site]("sites")}, {"leaks", merger[fleet.Leak]("leaks")},
		{"curve", merger[fleet.Point]("curve")}, {"types", merger[fleet.Type]("types")}, {"pages", merger[fleet.Page]("pages")},
		{"recordings", merger[fleet.Recording]("recordings")},
	} {
		list, err := paths(dir, t.table, "", func(string) {})
		if err != nil {
			return c, err
		}
		for len(list) > 0 && err == nil {
			n := 1
			for n < len(list) && filepath.Dir(list[n]) == filepath.Dir(list[0]) {
				n++
			}
			err = c.day(ctx, list[:n], t.merge)
			list = list[n:]
		}
		if err != nil {
			return c, err
		}
	}
	if c.Before == 0 {
		return c, fmt.Errorf("%s holds no fleet", dir)
	}
	return c, nil
}

// day merges files of one folder.
func (c *Compacted) day(ctx context.Context, list []string, merge merging) error {
	size := int64(0)
	for _, path := range list {
		if info, err := os.Stat(path); err == nil {
			size += info.Size()
		}
	}
	c.Before, c.From = c.Before+len(list), c.From+size
	list, merged, err := c.join(ctx, list, merge)
	if err != nil {
		return err
	}
	if merged == "" {
		c.After, c.To = c.After+len(list), c.To+size
		return nil
	}
	if info, err := os.Stat(merged); err == nil {
		c.To += info.Size()
	}
	c.After++
	return nil
}

// join merges files, and returns those that there were, without damaged ones, and the merged one. That is "" where
// nothing was merged.
func (c *Compacted) join(ctx context.Context, list []string, merge merging) (whole []string, merged string, err error) {
	for len(list) > 1 {
		merged = filepath.Join(filepath.Dir(list[0]), "merged-"+digest(strings.Join(list, "\n"))+suffix)
		scratch, err := os.CreateTemp(filepath.Dir(merged), ".sorting-*")
		if err != nil {
			return nil, "", err
		}
		err = replace(merged, func(out io.Writer) error { return merge(ctx, list, out, scratch) })
		err = errors.Join(err, scratch.Close(), os.Remove(scratch.Name()))
		var damaged *unreadable
		switch {
		case errors.Is(err, fs.ErrNotExist): // another program has removed some
			return list, "", nil
		case errors.As(err, &damaged):
			c.Damaged = append(c.Damaged, damaged.Error())
			list = slices.DeleteFunc(slices.Clone(list), func(path string) bool { return path == damaged.path })
			continue
		case err != nil:
			return nil, "", err
		}
		for _, path := range list {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, "", err
			}
		}
		return list, merged, nil
	}
	return list, "", nil
}

// merger returns what merges files of a table.
func merger[T any](table string) merging {
	return func(ctx context.Context, list []string, out io.Writer, scratch io.ReadWriteSeeker) error {
		var row T
		w := pq.NewSortingWriter[T](out, rowsPerGroup, append(options(table),
			pq.SchemaOf(row, dictionaries(table)...), pq.DictionaryMaxBytes(dictionary),
			pq.SortingWriterConfig(pq.SortingColumns(sorting(table)...), pq.DropDuplicatedRows(true),
				pq.SortingBuffers(one{scratch})))...)
		for _, path := range list {
			err := each(ctx, path, func(rows []T) error {
				_, err := w.Write(rows)
				return err
			})
			if err != nil {
				return err
			}
		}
		return w.Close()
	}
}

// dictionary is the size from which the dictionary of a column is larger than its values.
const dictionary = 1 << 20

// dictionaries returns the columns of merged files that have few values: those are written once and then referred to by
// small numbers, which are faster to read and smaller. In the file of one recording each stack is another one.
func dictionaries(table string) []pq.SchemaOption {
	if table != "sites" {
		return nil
	}
	return []pq.SchemaOption{pq.StructTag(`parquet:"stack,dict"`, "Stack"), pq.StructTag(`parquet:"recording,dict"`, "Recording")}
}

// one is a pool of a single buffer.
type one struct{ io.ReadWriteSeeker }

// GetBuffer implements [pq.BufferPool].
func (o one) GetBuffer() io.ReadWriteSeeker { return o.ReadWriteSeeker }

// PutBuffer implements [pq.BufferPool].
func (o one) PutBuffer(io.ReadWriteSeeker) {}
