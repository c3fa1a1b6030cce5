package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// HeapClock is implemented by sources whose files say when they were written.
type HeapClock interface {
	// Clock is the instant that the times of snapshots count from, in µs since 1970; ok is false where the file does not say.
	Clock() (at Time, ok bool)
}

// JoinedHeaps are the snapshots of several files as those of one recording. Any goroutine may use it.
type JoinedHeaps struct {
	parts []joinedPart
	at    []joinedAt // by snapshot
}

type joinedPart struct {
	src   HeapSource
	after Time // how long after the first one's clock its times begin
}

// joinedAt is where a snapshot is.
type joinedAt struct{ part, i int }

// JoinHeaps puts the snapshots of files, which are of one format, into the order of their clocks: those of the files, or else those
// that clocks say, such as when the files were written. Files of one instant keep their order.
func JoinHeaps(list []HeapSource, clocks []Time) (*JoinedHeaps, error) {
	if len(list) == 0 || len(clocks) != len(list) {
		return nil, errors.New("no snapshots to join")
	}
	j := &JoinedHeaps{}
	for i, src := range list {
		if src.Schema() != list[0].Schema() {
			return nil, errors.New("the files are of different formats: their snapshots are not those of one recording")
		}
		at := clocks[i]
		if clock, ok := src.(HeapClock); ok {
			if t, ok := clock.Clock(); ok {
				at = t
			}
		}
		j.parts = append(j.parts, joinedPart{src, at})
	}
	slices.SortStableFunc(j.parts, func(a, b joinedPart) int { return cmp.Compare(a.after, b.after) })
	first := j.parts[0].after
	for p := range j.parts {
		part := &j.parts[p]
		part.after -= first
		for i := range part.src.Len() {
			j.at = append(j.at, joinedAt{p, i})
		}
	}
	return j, nil
}

// of returns where snapshot n is.
func (j *JoinedHeaps) of(n int) (joinedPart, int, error) {
	if n < 0 || n >= len(j.at) {
		return joinedPart{}, 0, fmt.Errorf("no snapshot %d", n)
	}
	return j.parts[j.at[n].part], j.at[n].i, nil
}

// Schema implements [HeapSource], like what follows.
func (j *JoinedHeaps) Schema() *HeapSchema { return j.parts[0].src.Schema() }

// Len is the number of snapshots of all files.
func (j *JoinedHeaps) Len() int { return len(j.at) }

// Info has the times since the first file's clock.
func (j *JoinedHeaps) Info(n int) HeapInfo {
	p, i, err := j.of(n)
	if err != nil {
		return NoHeapInfo()
	}
	info := p.src.Info(i)
	info.Time = max(info.Time, 0) + p.after
	return info
}

// Open decodes a snapshot of one of the files.
func (j *JoinedHeaps) Open(ctx context.Context, n int, progress func(done float64)) (*Heap, error) {
	p, i, err := j.of(n)
	if err != nil {
		return nil, err
	}
	return p.src.Open(ctx, i, progress)
}

// Scores are those of the file.
func (j *JoinedHeaps) Scores(ctx context.Context, n int) (HeapScores, bool, error) {
	p, i, err := j.of(n)
	if err != nil {
		return HeapScores{}, false, err
	}
	return p.src.Scores(ctx, i)
}

// Tables are those of the file.
func (j *JoinedHeaps) Tables(ctx context.Context, n int) (*HeapTables, error) {
	p, i, err := j.of(n)
	if err != nil {
		return nil, err
	}
	return p.src.Tables(ctx, i)
}

// Text implements [HeapTexts]; ok is false where the file has none.
func (j *JoinedHeaps) Text(ctx context.Context, n int, r Row, bytes int) (text string, whole, ok bool, err error) {
	p, i, err := j.of(n)
	if err != nil {
		return "", false, false, err
	}
	texts, ok := p.src.(HeapTexts)
	if !ok {
		return "", false, false, nil
	}
	return texts.Text(ctx, i, r, bytes)
}
