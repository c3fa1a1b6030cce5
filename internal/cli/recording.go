package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// recording opens what a command names where it takes one file: that, or several files, or a folder of them, that hold the heap
// snapshots of one recording. The caller closes the session.
func (a *app) recording(ctx context.Context, paths []string) (*session, error) {
	paths, err := a.filesOf(ctx, paths)
	if err != nil {
		return nil, inputError(err)
	}
	if len(paths) == 1 {
		return a.open(ctx, paths[0])
	}
	list, err := a.openAll(ctx, paths...)
	if err != nil {
		return nil, err
	}
	if err := a.join(ctx, list); err != nil {
		for _, s := range list {
			s.close()
		}
		return nil, err
	}
	return list[0], nil
}

// filesOf puts the files of a folder that are of a format of heap snapshots in its place, in the order of their names.
func (a *app) filesOf(ctx context.Context, paths []string) (out []string, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() {
			out = append(out, path) // what is wrong with it is said where it is opened
			continue
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, err
		}
		files := 0
		for _, e := range entries {
			if file := filepath.Join(path, e.Name()); e.Type().IsRegular() && a.holdsHeaps(ctx, file) {
				out = append(out, file)
				files++
			}
		}
		if files == 0 {
			return nil, fmt.Errorf("%s: %w, and no file in it holds heap snapshots", path, loaders.ErrDirectory)
		}
	}
	return out, nil
}

// holdsHeaps reports whether a file is of a format of heap snapshots.
func (a *app) holdsHeaps(ctx context.Context, path string) bool {
	src, err := loaders.OpenSource(ctx, path, nil)
	if err != nil {
		return false
	}
	defer src.Close()
	format, err := loaders.Detect(src, a.inputs())
	return err == nil && format.Heap != nil
}

// join makes the first of several sessions one about the snapshots of all of them, which it closes.
func (a *app) join(ctx context.Context, list []*session) error {
	var sources []model.HeapSource
	var clocks []model.Time
	var whole *model.Profile
	for _, s := range list {
		p, err := s.profile(ctx)
		if err != nil {
			return err
		}
		if kind.Of(p) != kind.Heap {
			return usageError(fmt.Errorf("%s holds no heap snapshots: only the files of those can be read as one recording", p.Meta.Name))
		}
		if s.snapshot != nil && a.flags.Snapshot == nil {
			return usageError(errors.New("FILE#N names a snapshot of one file: of several, --snapshot counts over all"))
		}
		clock := model.Time(0)
		if _, info := s.src.Stored(); info != nil {
			clock = model.Time(info.ModTime().UnixMicro())
		}
		sources, clocks, whole = append(sources, p.Heaps), append(clocks, clock), joined(whole, p)
	}
	heaps, err := model.JoinHeaps(sources, clocks)
	if err != nil {
		return usageError(err)
	}
	whole.Heaps, whole.Meta.Name = heaps, fmt.Sprintf("%s and %s", whole.Meta.Name, model.Counted(uint64(len(list)-1), "other file"))
	list[0].parts = list[1:]
	list[0].store.Publish(whole)
	return nil
}

// joined adds what is told of one more file.
func joined(whole, p *model.Profile) *model.Profile {
	if whole == nil {
		first := *p
		first.Problems = slices.Clip(first.Problems)
		return &first
	}
	whole.Meta.Size += p.Meta.Size
	whole.Lost += p.Lost
	whole.Complete = whole.Complete && p.Complete
	for _, q := range p.Problems {
		q.Message = p.Meta.Name + ": " + q.Message
		whole.Problems = model.AddProblem(whole.Problems, q)
	}
	return whole
}
