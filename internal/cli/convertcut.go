package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/memtui/memtui/export"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/model"
)

// cutFlags choose the blocks of a trace that is written as a trace.
type cutFlags struct {
	Function    pattern  `placeholder:"PATTERN" help:"For traces written as .mlyze: only blocks of sites whose function matches this regular expression."`
	SourceFile  pattern  `name:"file" placeholder:"PATTERN" help:"The same: only sites whose file matches."`
	Module      pattern  `placeholder:"PATTERN" help:"The same: only sites whose module, a library or a directory, matches."`
	Through     pattern  `placeholder:"PATTERN" help:"The same: only blocks with a matching function anywhere in their stack."`
	MinSize     *byteNum `placeholder:"SIZE" help:"The same: only blocks of at least this size."`
	MaxSize     *byteNum `placeholder:"SIZE" help:"The same: only blocks of at most this size."`
	MinLifetime length   `placeholder:"TIME" help:"The same: only blocks that lived at least this long, or were never freed."`
	MaxLifetime length   `placeholder:"TIME" help:"The same: only blocks freed within this time."`
	Thread      []uint16 `placeholder:"N" help:"The same: only blocks of these threads."`
}

// pattern is a regular expression as the user writes it; the zero one was not given.
type pattern struct{ expr *regexp.Regexp }

// UnmarshalText reads an expression.
func (p *pattern) UnmarshalText(text []byte) (err error) {
	p.expr, err = regexp.Compile(string(text))
	return err
}

// given returns the first of the flags that was given, "" for none.
func (f *cutFlags) given() string {
	for _, flag := range []struct {
		name  string
		given bool
	}{
		{"function", f.Function.expr != nil}, {"file", f.SourceFile.expr != nil}, {"module", f.Module.expr != nil}, {"through", f.Through.expr != nil},
		{"min-size", f.MinSize != nil}, {"max-size", f.MaxSize != nil},
		{"min-lifetime", f.MinLifetime.Given()}, {"max-lifetime", f.MaxLifetime.Given()}, {"thread", f.Thread != nil},
	} {
		if flag.given {
			return flag.name
		}
	}
	return ""
}

// cut returns what the flags choose in a trace of that duration.
func (f *cutFlags) cut(duration model.Time) (export.Cut, error) {
	cut := export.Everything()
	cut.Function, cut.File, cut.Module, cut.Through = f.Function.expr, f.SourceFile.expr, f.Module.expr, f.Through.expr
	cut.Threads = f.Thread
	if f.MinSize != nil {
		cut.MinSize = uint64(*f.MinSize)
	}
	if f.MaxSize != nil {
		cut.MaxSize = uint64(*f.MaxSize)
	}
	for _, bound := range []struct {
		flag length
		to   *model.Time
	}{{f.MinLifetime, &cut.MinLife}, {f.MaxLifetime, &cut.MaxLife}} {
		if bound.flag.Given() {
			*bound.to = bound.flag.In(duration, 0)
		}
	}
	if cut.MinSize > cut.MaxSize || cut.MinLife > cut.MaxLife {
		return cut, usageError(errors.New("the minimum size and lifetime must not exceed the maximum"))
	}
	return cut, nil
}

// beginTrace writes part of a trace.
func beginTrace(ctx context.Context, c *conversion) (writer, error) {
	if kind.Of(c.p) != kind.Trace {
		return nil, c.cannot()
	}
	if c.flags.At.Given() || c.flags.MinAge.Given() {
		return nil, usageError(fmt.Errorf("--at and --min-age: a part of a trace is chosen with --from, --to and --min-lifetime"))
	}
	opt, err := c.options(ctx, c.s.index)
	if err != nil {
		return nil, err
	}
	end := c.s.index.Status().Duration
	cut, err := c.c.cut(end)
	if err != nil {
		return nil, err
	}
	cut.Range = opt.Range
	return func(ctx context.Context, w io.Writer) ([]export.Loss, error) {
		return export.WriteTrace(ctx, w, c.p, end, cut)
	}, nil
}
