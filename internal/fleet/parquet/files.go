//go:build parquet

package parquet

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"

	"github.com/memtui/memtui/model"
	"golang.org/x/sys/unix"
)

// suffix is that of complete files; those that are being written have another.
const suffix = ".parquet"

// order returns the columns by which the rows of a table are sorted, which together name a row.
func order(table string) []string {
	return map[string][]string{
		"recordings": {"recording"}, "stacks": {"stack"}, "sites": {"stack", "recording"}, "leaks": {"stack", "recording"},
		"curve": {"recording", "series", "at_us"}, "types": {"type", "recording", "snapshot"},
		"pages": {"recording", "layout", "series", "type"},
	}[table]
}

// sorting returns the order of a table as the library takes it.
func sorting(table string) (list []pq.SortingColumn) {
	for _, name := range order(table) {
		list = append(list, pq.Ascending(name))
	}
	return list
}

// rowsPerGroup is the number of rows that readers hold at once.
const rowsPerGroup = 1 << 18

// options returns how the files of a table are written.
func options(table string) []pq.WriterOption {
	return []pq.WriterOption{pq.Compression(&pq.Zstd), pq.MaxRowsPerRowGroup(rowsPerGroup),
		pq.SortingWriterConfig(pq.SortingColumns(sorting(table)...))}
}

// write writes a file, which is there at once and complete.
func write[T any](path, table string, rows []T) error {
	return replace(path, func(out io.Writer) error {
		w := pq.NewGenericWriter[T](out, options(table)...)
		_, err := w.Write(rows)
		return errors.Join(err, w.Close())
	})
}

// replace lets f write a file next to its place, and puts it there.
func replace(path string, f func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	out, err := os.CreateTemp(filepath.Dir(path), ".writing-*")
	if err != nil {
		return err
	}
	err = errors.Join(guard(path, func() error { return f(out) }), out.Chmod(0o644), out.Sync(), out.Close())
	if err == nil {
		err = os.Rename(out.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(out.Name()))
	}
	return nil
}

// guard returns damage that the library finds as an error that names the file, also where it panics.
func guard(path string, f func() error) error {
	err := caught(f)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: %w", model.Clean(path), err)
	}
	return err
}

// caught returns a panic as an error.
func caught(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("damaged: %s", model.Clean(fmt.Sprint(v)))
		}
	}()
	return f()
}

// unreadable is a file that cannot be read to its end.
type unreadable struct {
	path string
	err  error
}

func (u *unreadable) Error() string { return u.err.Error() }
func (u *unreadable) Unwrap() error { return u.err }

// errOther ends the reading of a file for a reason that is not the file.
type errOther struct{ error }

// small is the size of files that are read at once, and buffer that of the parts in which others are read.
const (
	small  = 1 << 20
	buffer = 1 << 12
)

// open lets f read a file. The error is [unreadable], unless the file is gone or f returned [errOther].
func open(path string, f func(*pq.File) error) error {
	err := guard(path, func() error {
		in, err := os.Open(path)
		if err != nil {
			return err
		}
		defer in.Close()
		info, err := in.Stat()
		if err != nil {
			return err
		}
		var content io.ReaderAt = in
		if info.Size() <= small { // one read in place of several for each column
			text, err := io.ReadAll(io.LimitReader(in, small))
			if err != nil {
				return err
			}
			content = bytes.NewReader(text)
		}
		file, err := pq.OpenFile(content, info.Size(), pq.SkipPageIndex(true), pq.SkipBloomFilters(true), pq.ReadBufferSize(buffer))
		if err != nil {
			return err
		}
		return f(file)
	})
	var other errOther
	switch {
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return err
	case errors.As(err, &other):
		return other.error
	}
	return &unreadable{path, err}
}

// rowsAtOnce is the number of rows that are decoded together.
const rowsAtOnce = 1024

// each calls f with the rows of a file. It must not keep the slice.
func each[T any](ctx context.Context, path string, f func([]T) error) error {
	return open(path, func(file *pq.File) error {
		r := pq.NewGenericReader[T](file)
		defer r.Close()
		rows := make([]T, max(1, min(rowsAtOnce, file.NumRows())))
		for {
			clear(rows) // the reader leaves what is null as it was
			n, err := r.Read(rows)
			if n > 0 {
				if err := f(rows[:n]); err != nil {
					return errOther{err}
				}
			}
			switch {
			case errors.Is(err, io.EOF):
				return nil
			case err != nil:
				return err
			case ctx.Err() != nil:
				return errOther{ctx.Err()}
			case n == 0:
				return io.ErrUnexpectedEOF
			}
		}
	})
}

// numbers calls f with the values of columns of numbers in each part of files. The next part is decoded meanwhile, its
// columns at the same time. skip takes the error of a file, and returns that which ends the reading. wanted decides about
// parts by the least and the largest number of the first column.
func numbers(ctx context.Context, list []string, skip func(error) error, wanted func(least, most uint64) bool,
	f func(columns [][]uint64), names ...string) (err error) {
	decoded, used := make(chan [][]uint64), make(chan [][]uint64, 2)
	for range cap(used) {
		used <- make([][]uint64, len(names))
	}
	go func() {
		defer close(decoded)
		for _, path := range list {
			err = skip(open(path, func(file *pq.File) error {
				for _, group := range file.RowGroups() {
					if least, most := bounds(file.Schema(), group, names[0]); !wanted(least, most) {
						continue
					}
					columns := <-used
					err := decode(ctx, file.Schema(), group, columns, names)
					if err != nil {
						used <- columns
						return err
					}
					decoded <- columns
				}
				return nil
			}))
			if err != nil {
				return
			}
		}
	}()
	for columns := range decoded {
		f(columns)
		used <- columns
	}
	return err
}

// bounds returns the least and the largest number of a column in a part of a file; where it does not say, of all numbers.
func bounds(schema *pq.Schema, group pq.RowGroup, name string) (least, most uint64) {
	if leaf, ok := schema.Lookup(name); ok && leaf.Node.Type().Kind() == pq.Int64 {
		if chunk, ok := group.ColumnChunks()[leaf.ColumnIndex].(*pq.FileColumnChunk); ok {
			if a, z, ok := chunk.Bounds(); ok && a.Uint64() <= z.Uint64() {
				return a.Uint64(), z.Uint64()
			}
		}
	}
	return 0, math.MaxUint64
}

// among returns whether some numbers are within bounds; all are where only is nil.
func among(only map[uint64]bool) func(least, most uint64) bool {
	if only == nil {
		return func(uint64, uint64) bool { return true }
	}
	list := slices.Sorted(maps.Keys(only))
	return func(least, most uint64) bool {
		at, _ := slices.BinarySearch(list, least)
		return at < len(list) && list[at] <= most
	}
}

// decode reads columns of numbers.
func decode(ctx context.Context, schema *pq.Schema, group pq.RowGroup, columns [][]uint64, names []string) error {
	var all sync.WaitGroup
	errs := make([]error, len(names))
	for i, name := range names {
		leaf, ok := schema.Lookup(name)
		if !ok || leaf.Node.Type().Kind() != pq.Int64 || leaf.Node.Optional() || leaf.Node.Repeated() {
			errs[i] = fmt.Errorf("there is no column of numbers %s", name)
			continue
		}
		all.Go(func() {
			errs[i] = caught(func() (err error) {
				columns[i], err = column(ctx, columns[i][:0], group.ColumnChunks()[leaf.ColumnIndex])
				return err
			})
		})
	}
	all.Wait()
	for i := range columns {
		if errs[i] == nil && len(columns[i]) != len(columns[0]) {
			errs[i] = io.ErrUnexpectedEOF
		}
	}
	return cmp.Or(errs...)
}

// column appends the values of a part of a column.
func column(ctx context.Context, dst []uint64, chunk pq.ColumnChunk) ([]uint64, error) {
	pages := chunk.Pages()
	defer pages.Close()
	dst = slices.Grow(dst, int(max(0, min(chunk.NumValues(), rowsPerGroup)))) // no more than there should be, whatever a file says
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return dst, nil
		}
		if err != nil {
			return dst, err
		}
		dst, err = values(dst, page)
		pq.Release(page)
		switch {
		case err != nil:
			return dst, err
		case ctx.Err() != nil:
			return dst, errOther{ctx.Err()}
		}
	}
}

// values appends the values of a page: at once where they are there as they are or as indexes of a dictionary, else one
// by one.
func values(dst []uint64, page pq.Page) ([]uint64, error) {
	data, dictionary := page.Data(), page.Dictionary()
	switch {
	case dictionary == nil && data.Kind() == encoding.Int64:
		return append(dst, data.Uint64()...), nil
	case dictionary != nil && dictionary.Type().Kind() == pq.Int64 && data.Kind() == encoding.Int32:
		entries := dictionary.Page().Data()
		numbers := entries.Uint64()
		for _, i := range data.Int32() {
			dst = append(dst, numbers[i])
		}
		return dst, nil
	}
	var buf [rowsAtOnce]pq.Value
	for r := page.Values(); ; {
		n, err := r.ReadValues(buf[:])
		for _, v := range buf[:n] {
			dst = append(dst, v.Uint64())
		}
		switch {
		case errors.Is(err, io.EOF):
			return dst, nil
		case err != nil:
			return dst, err
		}
	}
}

// having calls f with the rows of a file that have a number in a column. Of others it reads that column alone.
func having[T any](ctx context.Context, path, name string, number uint64, f func(*T)) error {
	return open(path, func(file *pq.File) error {
		r := pq.NewGenericReader[T](file)
		defer r.Close()
		columns, before := make([][]uint64, 1), int64(0)
		for _, group := range file.RowGroups() {
			if err := decode(ctx, file.Schema(), group, columns, []string{name}); err != nil {
				return err
			}
			for i, n := range columns[0] {
				if n != number {
					continue
				}
				var row [1]T
				if err := r.SeekToRow(before + int64(i)); err != nil {
					return err
				}
				if n, err := r.Read(row[:]); n == 0 {
					return err
				}
				f(&row[0])
			}
			before += group.NumRows()
		}
		return nil
	})
}

// verify reads a file to its end.
func verify(ctx context.Context, path string) error {
	return open(path, func(file *pq.File) error {
		for _, group := range file.RowGroups() {
			for _, chunk := range group.ColumnChunks() {
				if _, err := column(ctx, nil, chunk); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// paths returns the complete files of a table, of a service or of all where that is "", in order. It calls strange with
// what is not of a fleet.
func paths(dir, table, service string, strange func(path string)) (list []string, err error) {
	root := filepath.Join(dir, table)
	services, err := entries(root, "service=", strange)
	for _, s := range services {
		if service != "" && s != "service="+encoded(service) {
			continue
		}
		days, err := entries(filepath.Join(root, s), "date=", strange)
		if err != nil {
			return nil, err
		}
		for _, day := range days {
			files, err := entries(filepath.Join(root, s, day), "", strange)
			if err != nil {
				return nil, err
			}
			for _, f := range files {
				path := filepath.Join(root, s, day, f)
				if filepath.Ext(f) != suffix {
					strange(path)
					continue
				}
				list = append(list, path)
			}
		}
	}
	return list, err
}

// entries returns the names in a folder that begin with a word, none if there is no such folder. Hidden files are left
// out, and strange is called with others.
func entries(dir, begin string, strange func(path string)) (names []string, err error) {
	list, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, unix.ENOTDIR):
		strange(dir)
		return nil, nil
	}
	for _, e := range list {
		switch name := e.Name(); {
		case strings.HasPrefix(name, "."):
		case strings.HasPrefix(name, begin):
			names = append(names, name)
		default:
			strange(filepath.Join(dir, name))
		}
	}
	slices.Sort(names)
	return names, err
}

// lock waits until no other process merges or removes files of a fleet, and returns what lets others do so. File systems
// without locks have none.
func lock(ctx context.Context, dir string) (unlock func() error, err error) {
	f, err := os.OpenFile(filepath.Join(dir, ".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil || !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return f.Close, nil
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), f.Close())
		case <-time.After(20 * time.Millisecond):
		}
	}
}
