package arg

import (
	"errors"

	"github.com/memtui/memtui/export"
	"github.com/memtui/memtui/model"
)

// CutFlags choose the blocks of a trace that is written as a trace.
type CutFlags struct {
	Function    Pattern  `placeholder:"PATTERN" help:"For traces written as .mlyze: only blocks of sites whose function matches this regular expression."`
	SourceFile  Pattern  `name:"file" placeholder:"PATTERN" help:"The same: only sites whose file matches."`
	Module      Pattern  `placeholder:"PATTERN" help:"The same: only sites whose module, a library or a directory, matches."`
	Through     Pattern  `placeholder:"PATTERN" help:"The same: only blocks with a matching function anywhere in their stack."`
	MinSize     *Bytes   `placeholder:"SIZE" help:"The same: only blocks of at least this size."`
	MaxSize     *Bytes   `placeholder:"SIZE" help:"The same: only blocks of at most this size."`
	MinLifetime Length   `placeholder:"TIME" help:"The same: only blocks that lived at least this long, or were never freed."`
	MaxLifetime Length   `placeholder:"TIME" help:"The same: only blocks freed within this time."`
	Thread      []uint16 `placeholder:"N" help:"The same: only blocks of these threads."`
}

// Given returns the first of the flags that was given, "" for none.
func (f *CutFlags) Given() string {
	for _, flag := range []struct {
		name  string
		given bool
	}{
		{"function", f.Function.Expr != nil}, {"file", f.SourceFile.Expr != nil}, {"module", f.Module.Expr != nil},
		{"through", f.Through.Expr != nil},
		{"min-size", f.MinSize != nil}, {"max-size", f.MaxSize != nil},
		{"min-lifetime", f.MinLifetime.Given()}, {"max-lifetime", f.MaxLifetime.Given()}, {"thread", f.Thread != nil},
	} {
		if flag.given {
			return flag.name
		}
	}
	return ""
}

// Cut returns what the flags choose in a trace of that duration.
func (f *CutFlags) Cut(duration model.Time) (export.Cut, error) {
	cut := export.Everything()
	cut.Function, cut.File, cut.Module, cut.Through = f.Function.Expr, f.SourceFile.Expr, f.Module.Expr, f.Through.Expr
	cut.Threads = f.Thread
	if f.MinSize != nil {
		cut.MinSize = uint64(*f.MinSize)
	}
	if f.MaxSize != nil {
		cut.MaxSize = uint64(*f.MaxSize)
	}
	for _, bound := range []struct {
		flag Length
		to   *model.Time
	}{{f.MinLifetime, &cut.MinLife}, {f.MaxLifetime, &cut.MaxLife}} {
		if bound.flag.Given() {
			*bound.to = bound.flag.Of(duration)
		}
	}
	if cut.MinSize > cut.MaxSize || cut.MinLife > cut.MaxLife {
		return cut, errors.New("the minimum size and lifetime must not exceed the maximum")
	}
	return cut, nil
}
