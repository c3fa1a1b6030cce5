package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/internal/cli/pick"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/join"
)

// recording opens the input of a command that takes one file: a file, or several files or a folder of them with the
// heap snapshots or stacks of one recording, each at its time. The caller closes the session.
func (a *app) recording(ctx context.Context, paths []string) (*session, error) {
	if a.lend != nil && len(paths) > 0 {
		if s := a.lend(a.target(paths[0])); s != nil && slices.Equal(s.joined, paths) {
			return s, nil
		}
	}
	named := paths
	paths, err := a.filesOf(ctx, paths)
	if err != nil {
		return nil, fail.Input(err)
	}
	if len(paths) == 1 {
		return a.open(ctx, paths[0])
	}
	list, err := a.openAll(ctx, paths...)
	if err != nil {
		return nil, err
	}
	if err := a.join(ctx, list, slices.ContainsFunc(named, isFolder)); err != nil {
		for _, s := range list {
			s.close()
		}
		return nil, err
	}
	list[0].joined = named
	return list[0], nil
}

// openSides opens what a command is about: each side is a file, or several files or a folder of one recording. Where
// all are single files they are opened together, as flags may be about one of them. The caller closes the sessions.
func (a *app) openSides(ctx context.Context, sides ...[]string) (list []*session, err error) {
	var alone []string
	for _, paths := range sides {
		files, err := a.filesOf(ctx, paths)
		if err != nil {
			return nil, fail.Input(err)
		}
		if len(files) == 1 {
			alone = append(alone, files[0])
		}
	}
	if len(alone) == len(sides) {
		return a.openAll(ctx, alone...)
	}
	for _, files := range sides {
		s, err := a.recording(ctx, files)
		if err != nil {
			for _, s := range list {
				s.close()
			}
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// filesOf replaces a folder by its files of heap snapshots, or if there are none of stacks, ordered by name.
func (a *app) filesOf(ctx context.Context, paths []string) (out []string, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() {
			out = append(out, path) // errors are reported when it is opened
			continue
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, err
		}
		files := map[kind.Kind][]string{}
		for _, e := range entries {
			if file := filepath.Join(path, e.Name()); e.Type().IsRegular() {
				k := a.kindOf(ctx, file)
				files[k] = append(files[k], file)
			}
		}
		k := kind.Heap
		if len(files[k]) == 0 {
			k = kind.Stacks
		}
		if len(files[k]) == 0 {
			return nil, fmt.Errorf("%s: %w, and no file in it holds heap snapshots or a stack profile", path, loaders.ErrDirectory)
		}
		out = append(out, files[k]...)
	}
	return out, nil
}

// kindOf returns the kind of a file by its first bytes, [kind.None] if its format is unknown.
func (a *app) kindOf(ctx context.Context, path string) kind.Kind {
	src, err := loaders.OpenSource(ctx, path, nil)
	if err != nil {
		return kind.None
	}
	defer src.Close()
	format, err := loaders.Detect(src, a.inputs())
	if err != nil {
		return kind.None
	}
	return kind.OfFormat(format)
}

// join makes the first of several sessions one about the snapshots or stacks of all of them, which it closes.
func (a *app) join(ctx context.Context, list []*session, byTime bool) error {
	p, err := list[0].profile(ctx)
	if err != nil {
		return err
	}
	if kind.Of(p) == kind.Stacks {
		return a.joinStacks(ctx, list)
	}
	return a.joinHeaps(ctx, list, byTime)
}

// joinStacks makes the first of several sessions one about stacks of which each file is a window.
func (a *app) joinStacks(ctx context.Context, list []*session) error {
	joined := join.NewStacks()
	for _, s := range list {
		p, err := s.profile(ctx)
		if err != nil {
			return err
		}
		if a.budget.Full(model.BudgetOfFile) {
			return fail.Input(a.budget.Error("the windows of so many files"))
		}
		if err := joined.Add(p, s.written()); err != nil {
			return fail.Usage(fmt.Errorf("%w%s", err, secondHint(list)))
		}
	}
	for _, s := range list[1:] {
		s.close() // everything is in memory
	}
	list[0].store.Publish(joined.Profile())
	return nil
}

// secondHint returns a hint how two files can be used.
func secondHint(list []*session) string {
	if len(list) == 2 {
		return "; memtui diff compares two files"
	}
	return ""
}

// written returns when the file was last written, in µs since 1970; 0 if unknown.
func (s *session) written() model.Time {
	if _, info := s.src.Stored(); info != nil {
		return model.Time(info.ModTime().UnixMicro())
	}
	return 0
}

// joinHeaps makes the first of several sessions one about the snapshots of all of them.
func (a *app) joinHeaps(ctx context.Context, list []*session, byTime bool) error {
	var sources []model.HeapSource
	var stores []*model.Store
	var written []model.Time
	var whole *model.Profile
	var paths []string
	for _, s := range list {
		p, err := s.profile(ctx)
		if err != nil {
			return err
		}
		if kind.Of(p) != kind.Heap {
			return fail.Usage(fmt.Errorf("%s holds neither heap snapshots nor a stack profile: only the files of those can be read as one recording", p.Meta.Name))
		}
		sources, whole, paths = append(sources, p.Heaps), joined(whole, p), append(paths, p.Meta.Path)
		stores = append(stores, s.store)
		if byTime {
			written = append(written, s.written())
		}
	}
	heaps, err := join.NewHeaps(sources, written)
	if err != nil {
		return fail.Usage(err)
	}
	heaps.Name(paths)
	if a.flags.Snapshot == nil {
		if list[0].snapshot, err = namedSnapshot(list, heaps); err != nil {
			return err
		}
	}
	if order := "in which they are given"; !heaps.Clocked {
		if written != nil {
			order = "in which they were last changed"
		}
		whole.Problems = model.AddProblem(whole.Problems,
			model.Problem{Severity: model.Note, Code: "file-order", Count: 1, Offset: model.NoOffset,
				Message: "the files do not record when they were made: their snapshots are in the order " + order})
	}
	whole.Heaps, whole.Meta.Name = heaps, fmt.Sprintf("%s and %s", whole.Meta.Name,
		model.Counted(uint64(len(list)-1), "other file"))
	list[0].parts, list[0].together = list[1:], join.NewTogether(whole, stores)
	list[0].store = list[0].together.Store
	return nil
}

// namedSnapshot returns which of all snapshots FILE#N names, a number in one of the files. It is nil if none does.
func namedSnapshot(list []*session, heaps *join.Heaps) (found *int, err error) {
	for i, s := range list {
		if s.snapshot == nil {
			continue
		}
		if found != nil {
			return nil, fail.Usage(errors.New("FILE#N names a snapshot in two of the files: give one, or --snapshot, which counts across all of them"))
		}
		number, _, err := pick.Snapshot(s.store.Current(), s.snapshot, model.Moment{})
		if err != nil {
			return nil, err
		}
		at := heaps.At(i, number)
		found = &at
	}
	return found, nil
}

// joined adds the problems and facts of one more file. Problems name their file, also those of the first.
func joined(whole, p *model.Profile) *model.Profile {
	if whole == nil {
		first := *p
		first.Problems = nil
		whole = &first
	} else {
		whole.Meta.Size += p.Meta.Size
		whole.Lost += p.Lost
		whole.Complete = whole.Complete && p.Complete
	}
	for _, q := range p.Problems {
		q.Message = p.Meta.Name + ": " + q.Message
		whole.Problems = model.AddProblem(whole.Problems, q)
	}
	return whole
}
