package pprof

import (
	"context"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

const formatName = "pprof"

// Format returns the protocol buffer format of pprof.
func Format() loaders.Format {
	return loaders.Format{
		Name:       formatName,
		Summary:    "profiles of pprof (Go, and profilers of many languages): heap, CPU and other sample types",
		Extensions: []string{".pprof", ".pb"},
		Sniff:      sniff,
		Load:       load,
		Info:       info,
		Validate:   validate,
	}
}

// sniff takes the first fields apart: they must be those of a Profile, and begin with a sample type, as all writers do.
func sniff(head []byte) loaders.Confidence {
	m := message{b: head}
	fields, types := 0, 0
	for m.next() {
		wire, known := wireOf(m.number)
		if !known || m.wire != wire && m.number != fieldComment {
			return loaders.No
		}
		inner := m.inner()
		switch m.number {
		case fieldSampleType, fieldPeriodType:
			if !plausible(&inner, 2) || len(m.body) > 20 {
				return loaders.No
			}
			types++
		case fieldSample, fieldMapping, fieldLocation, fieldFunction:
			if !plausible(&inner, 10) {
				return loaders.No
			}
		}
		fields++
	}
	whole := m.wrong == "" || m.wire == wireBytes && m.number >= fieldSampleType && m.number <= fieldPeriodType // a field may go on after the head
	switch {
	case types == 0 || fields < 2 || !whole && len(head) >= loaders.SniffLength:
		return loaders.No
	case fields < 4:
		return loaders.Maybe
	}
	return loaders.Sure
}

// plausible reports whether a message is whole and has fields up to a number only.
func plausible(m *message, most uint64) bool {
	for m.next() {
		if m.number > most {
			return false
		}
	}
	return m.wrong == ""
}

// load reads everything.
func load(ctx context.Context, src *loaders.Source, _ loaders.Options, store *model.Store) error {
	r := newReader(ctx, src)
	err := r.read()
	return r.Finish(ctx, store, err == nil, err)
}

// info reads everything, too: names may stand at the end, and files are small.
func info(ctx context.Context, src *loaders.Source, _ loaders.Options) (*model.Profile, error) {
	r := newReader(ctx, src)
	var store model.Store
	if err := r.Finish(ctx, &store, true, r.read()); err != nil {
		return nil, err
	}
	p := store.Current()
	p.Stacks, p.Weights = nil, nil
	return p, nil
}

// validate holds the file against every rule.
func validate(ctx context.Context, src *loaders.Source, report func(loaders.Violation)) error {
	r := newReader(ctx, src)
	if err := r.read(); err != nil {
		return err
	}
	r.Report(report)
	return nil
}
