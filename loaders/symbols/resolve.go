package symbols

import (
	"context"
	"slices"

	"github.com/memtui/memtui/model"
)

// resolveModule looks up the addresses of one module.
func (t *Table) resolveModule(ctx context.Context, m *Module, ids []int) []model.Problem {
	path, ok := m.filePath()
	if !ok {
		t.all(ids, NoFile)
		return nil
	}
	s := &search{opt: t.opt, m: m, path: path}
	im := s.binary(ctx)
	if im == nil {
		return s.andFetching(t.without(s, ids))
	}
	defer im.close()
	addrs, of := t.inFile(im, m, ids)
	if len(addrs) == 0 {
		return nil
	}
	found, problems := s.names(ctx, im, addrs)
	for _, id := range ids {
		if a, ok := of[id]; ok && len(found[a]) > 0 {
			t.answers[id] = answer{frames: found[a]}
		} else {
			t.answers[id].why = NoSymbol
		}
	}
	return s.andFetching(problems)
}

// andFetching adds problems with fetching files.
func (s *search) andFetching(problems []model.Problem) []model.Problem {
	if s.unfetched == "" {
		return problems
	}
	return append(problems, model.Problem{Severity: model.Warning, Code: "symbols-fetch", Message: s.path + ": " + s.unfetched, Offset: -1})
}

// all sets one reason for all IDs.
func (t *Table) all(ids []int, why Why) {
	for _, id := range ids {
		t.answers[id].why = why
	}
}

// without records why a module has no file.
func (t *Table) without(s *search, ids []int) []model.Problem {
	p := model.Problem{Severity: model.Warning, Offset: -1}
	addresses := "; addresses without names: " + model.Group(uint64(len(ids)))
	switch {
	case s.other != "":
		t.all(ids, Mismatch)
		p.Code, p.Message = "symbols-mismatch", s.other+addresses
	case s.broken != "":
		t.all(ids, Damaged)
		p.Code, p.Message = "symbols-unreadable", s.broken+addresses
	default:
		t.all(ids, NoFile)
		p.Severity, p.Code, p.Message = model.Note, "symbols-missing", s.path+" is not on this machine"+addresses
	}
	return []model.Problem{p}
}

// inFile returns the sorted virtual addresses of IDs in a file, and the IDs of each.
func (t *Table) inFile(im *image, m *Module, ids []int) (addrs []uint64, of map[int]uint64) {
	of = make(map[int]uint64, len(ids))
	for _, id := range ids {
		a, ok := im.address(m, t.places[id].addr)
		if !ok {
			t.answers[id].why = NoSymbol
			continue
		}
		of[id] = a
		addrs = append(addrs, a)
	}
	slices.Sort(addrs)
	return slices.Compact(addrs), of
}

// names finds the frames at sorted addresses of a binary: cached ones, and the others in its files.
func (s *search) names(ctx context.Context, im *image, addrs []uint64) (map[uint64][]Frame, []model.Problem) {
	info := im
	if !im.hasDWARF() {
		if info = s.debug(ctx, im); info != nil {
			defer info.close()
		}
	}
	key, source := keptKey(im), sourceOf(im, info)
	all := load(s.opt.Names, key, source)
	left := slices.DeleteFunc(slices.Clone(addrs), func(a uint64) bool { _, ok := all[a]; return ok })
	if len(left) == 0 {
		return all, nil
	}
	frames, problems := s.readNames(ctx, im, info, left)
	for _, a := range left {
		all[a] = frames[a]
	}
	if len(problems) == 0 && ctx.Err() == nil {
		_ = store(s.opt.Names, key, source, all) // or it is read again
	}
	return all, problems
}

// readNames finds the frames at sorted addresses in a binary and its debug file, which may be the same one, or nil.
func (s *search) readNames(ctx context.Context, im, info *image, addrs []uint64) (map[uint64][]Frame, []model.Problem) {
	found := make(map[uint64]symbol, len(addrs))
	places := map[uint64]located{}
	var problems []model.Problem
	read := func(f *image, what func() error) {
		if err := f.guard(what); err != nil && ctx.Err() == nil {
			problems = append(problems, model.Problem{Severity: model.Warning, Code: "symbols-damaged",
				Message: f.path + ": " + err.Error(), Offset: -1})
		}
	}
	read(im, func() error { return im.symbolsAt(ctx, addrs, found) })
	if info != nil {
		if info != im {
			read(info, func() error { return info.symbolsAt(ctx, addrs, found) })
		}
		read(info, func() error {
			d, err := info.openDWARF(ctx)
			if err != nil {
				return err
			}
			files := &companions{search: s, image: info, binary: im}
			defer files.close()
			files.shared(ctx, d)
			places, err = d.lookup(ctx, files, addrs, func(a uint64) bool { return len(found) == 0 || found[a].name != "" })
			problems = append(append(problems, d.problems(info.path)...), files.problems()...)
			return err
		})
	}
	names := map[string]string{}
	frames := make(map[uint64][]Frame, len(addrs))
	for _, a := range addrs {
		if f := finish(places[a], found[a], names); len(f) > 0 {
			frames[a] = f
		}
	}
	return frames, problems
}
