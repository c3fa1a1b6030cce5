// Package join makes several files one recording: heap snapshots one after the other, stack profiles as windows.
package join

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/memtui/memtui/model"
)

// Clock is implemented by sources whose files state when they were written.
type Clock interface {
	// Clock is the origin of the times of snapshots, in µs since 1970; ok is false if the file does not state it.
	Clock() (at model.Time, ok bool)
}

// Heaps are the snapshots of several files as those of one recording. Any goroutine may use it.
type Heaps struct {
	Clocked bool // the files say when they were made: snapshots have times

	parts []heapsPart
	at    []heapsAt // by snapshot
	names []string  // of the files, as they are given; nil for none
}

type heapsPart struct {
	src   model.HeapSource
	after model.Time // how long after the first one's clock its times begin
	file  int        // which one of the files it is, as they are given
}

// joinedAt is the position of a snapshot.
type heapsAt struct{ part, i int }

// NewHeaps joins the snapshots of files of one format, ordered by the clocks that the files state. If not all state
// one, they are ordered by written, when the files were last changed, or, if that is nil, as given; the time between
// them is unknown then. Files of the same instant keep their order.
func NewHeaps(list []model.HeapSource, written []model.Time) (*Heaps, error) {
	if len(list) == 0 || written != nil && len(written) != len(list) {
		return nil, errors.New("no snapshots to join")
	}
	j := &Heaps{Clocked: true}
	for i, src := range list {
		if src.Schema() != list[0].Schema() {
			return nil, errors.New("the files are of different formats: their snapshots are not those of one recording")
		}
		at, ok := clockOf(src)
		j.Clocked = j.Clocked && ok
		j.parts = append(j.parts, heapsPart{src, at, i})
	}
	for i := range j.parts {
		if j.Clocked {
			break
		}
		if j.parts[i].after = 0; written != nil {
			j.parts[i].after = written[i]
		}
	}
	slices.SortStableFunc(j.parts, func(a, b heapsPart) int { return cmp.Compare(a.after, b.after) })
	first := j.parts[0].after
	for p := range j.parts {
		part := &j.parts[p]
		part.after -= first
		for i := range part.src.Len() {
			j.at = append(j.at, heapsAt{p, i})
		}
	}
	return j, nil
}

// clockOf returns the instant that a file states.
func clockOf(src model.HeapSource) (at model.Time, ok bool) {
	clock, ok := src.(Clock)
	if !ok {
		return 0, false
	}
	return clock.Clock()
}

// Name names the files, as they are given, by their paths: those of the same name include their folder.
func (j *Heaps) Name(paths []string) {
	j.names = make([]string, len(paths))
	for i, path := range paths {
		name := filepath.Base(path)
		if slices.ContainsFunc(paths, func(p string) bool { return filepath.Base(p) == name && p != path }) {
			name = inFolder(path, name)
		}
		j.names[i] = name
	}
}

// inFolder returns the name of a file with the folder that distinguishes it from others of that name.
func inFolder(path, name string) string {
	return filepath.Join(filepath.Base(filepath.Dir(path)), name)
}

// of returns the position of snapshot n.
func (j *Heaps) of(n int) (heapsPart, int, error) {
	if n < 0 || n >= len(j.at) {
		return heapsPart{}, 0, fmt.Errorf("no snapshot %d", n)
	}
	return j.parts[j.at[n].part], j.at[n].i, nil
}

// Files returns how many files there are.
func (j *Heaps) Files() int { return len(j.parts) }

// File returns which one of the files, as they are given, snapshot n is of, and its number there.
func (j *Heaps) File(n int) (file, number int, err error) {
	part, number, err := j.of(n)
	return part.file, number, err
}

// At is the reverse of File, for a snapshot that exists.
func (j *Heaps) At(file, number int) int {
	return slices.IndexFunc(j.at, func(x heapsAt) bool { return j.parts[x.part].file == file && x.i == number })
}

// Schema implements [model.HeapSource], like what follows.
func (j *Heaps) Schema() *model.HeapSchema { return j.parts[0].src.Schema() }

// Len is the number of snapshots of all files.
func (j *Heaps) Len() int { return len(j.at) }

// Info returns times relative to the first file's clock.
func (j *Heaps) Info(n int) model.HeapInfo {
	p, i, err := j.of(n)
	if err != nil {
		return model.NoHeapInfo()
	}
	info := p.src.Info(i)
	if j.Clocked {
		info.Time = max(info.Time, 0) + p.after
	}
	if p.file < len(j.names) {
		info.File = j.names[p.file]
	}
	return info
}

// Open decodes a snapshot of one of the files.
func (j *Heaps) Open(ctx context.Context, n int, progress func(done float64)) (*model.Heap, error) {
	p, i, err := j.of(n)
	if err != nil {
		return nil, err
	}
	return p.src.Open(ctx, i, progress)
}

// Scores returns those of the snapshot's file.
func (j *Heaps) Scores(ctx context.Context, n int) (model.HeapScores, bool, error) {
	p, i, err := j.of(n)
	if err != nil {
		return model.HeapScores{}, false, err
	}
	return p.src.Scores(ctx, i)
}

// Tables returns those of the snapshot's file.
func (j *Heaps) Tables(ctx context.Context, n int) (*model.HeapTables, error) {
	p, i, err := j.of(n)
	if err != nil {
		return nil, err
	}
	return p.src.Tables(ctx, i)
}

// Wraps implements [model.HeapWrapper]: all files are of one format.
func (j *Heaps) Wraps() model.HeapSource { return j.parts[0].src }

// Text implements [model.HeapTexts]; ok is false if the file has none.
func (j *Heaps) Text(ctx context.Context, n int, h *model.Heap, r model.Row, bytes int) (text string, whole, ok bool, err error) {
	p, i, err := j.of(n)
	if err != nil {
		return "", false, false, err
	}
	texts, ok := p.src.(model.HeapTexts)
	if !ok {
		return "", false, false, nil
	}
	return texts.Text(ctx, i, h, r, bytes)
}

// Fields implements [model.HeapContents]; there are none if the file has no contents.
func (j *Heaps) Fields(ctx context.Context, n int, h *model.Heap, r model.Row, from,
	most int) (fields []model.HeapField, total int, err error) {
	p, i, err := j.of(n)
	if err != nil {
		return nil, 0, err
	}
	contents, ok := p.src.(model.HeapContents)
	if !ok {
		return nil, 0, nil
	}
	return contents.Fields(ctx, i, h, r, from, most)
}
