package heaptrack

import (
	"context"
	"errors"
	"io"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// validate reports every broken rule of the format.
func validate(ctx context.Context, src *loaders.Source, report func(loaders.Violation)) error {
	c := newConverter(ctx, src)
	_, err := io.Copy(io.Discard, c)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, p := range append(c.found.list, src.Problems()...) {
		if p.Severity != model.Note && p.Code != codeAttached {
			report(loaders.Violation{Rule: p.Code, Severity: p.Severity, Message: p.Message, Offset: p.Offset,
				Line: p.Line, Count: p.Count})
		}
	}
	return nil
}
