package weighted

import (
	"context"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// Whole fills Load, Info and Validate of a format whose headers may stand anywhere in a file, so that each reads all of it. open
// returns a builder of one pass, and what fills it; that publishes to a store, which may be nil.
func Whole(f loaders.Format, open func(context.Context, *loaders.Source) (b *Builder, read func(*model.Store) error)) loaders.Format {
	f.Load = func(ctx context.Context, src *loaders.Source, _ loaders.Options, store *model.Store) error {
		b, read := open(ctx, src)
		err := read(store)
		return b.Finish(ctx, store, err == nil, err)
	}
	f.Info = func(ctx context.Context, src *loaders.Source, _ loaders.Options) (*model.Profile, error) {
		b, read := open(ctx, src)
		var store model.Store
		if err := b.Finish(ctx, &store, true, read(nil)); err != nil {
			return nil, err
		}
		p := store.Current()
		p.Stacks, p.Weights = nil, nil
		return p, nil
	}
	f.Validate = func(ctx context.Context, src *loaders.Source, report func(loaders.Violation)) error {
		b, read := open(ctx, src)
		if err := read(nil); err != nil {
			return err
		}
		b.Report(report)
		return nil
	}
	return f
}
