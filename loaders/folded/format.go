package folded

import (
	"context"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

const formatName = "folded"

// Format returns folded stacks.
func Format() loaders.Format {
	return loaders.Format{
		Name:       formatName,
		Summary:    "folded stacks, as flame graphs are drawn of: one stack a line, and a number",
		Extensions: []string{".folded", ".collapsed"},
		Unit:       true,
		Sniff:      sniff,
		Load:       load,
		Info:       info,
		Validate:   validate,
	}
}

func load(ctx context.Context, src *loaders.Source, opt loaders.Options, store *model.Store) error {
	r := newReader(ctx, src, opt.Unit)
	err := r.read(store)
	return r.Finish(ctx, store, err == nil, err)
}

// info tells what the name and the first bytes do: there are no headers.
func info(ctx context.Context, src *loaders.Source, opt loaders.Options) (*model.Profile, error) {
	r := newReader(ctx, src, opt.Unit)
	r.Fact("unit", "Unit of weights", opt.Unit)
	p := r.Build(true)
	p.Stacks, p.Weights = nil, nil
	return p, ctx.Err()
}

func validate(ctx context.Context, src *loaders.Source, report func(loaders.Violation)) error {
	r := newReader(ctx, src, "")
	if err := r.read(nil); err != nil {
		return err
	}
	r.Report(report)
	return nil
}
