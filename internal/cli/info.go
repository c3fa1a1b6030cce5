package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/internal/cli/facts"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/uses"
	"github.com/memtui/memtui/model"
)

type infoCmd struct {
	Files []string `arg:"" name:"file" help:"Files, or - for standard input."`
}

// Run prints what files are, from their headers only. Files that cannot be used are named, and the others still shown.
func (c *infoCmd) Run(ctx context.Context, a *app) error {
	if err := a.formats("info", "text", "json"); err != nil {
		return err
	}
	var objects []*facts.Object
	err := eachFile(c.Files, a.env.Stderr, func(path string) error {
		o, err := a.info(ctx, path)
		if err == nil {
			objects = append(objects, o)
		}
		return err
	})
	switch {
	case a.flags.Format == "text":
		for i, o := range objects {
			if i > 0 {
				fmt.Fprintln(a.out)
			}
			o.Text(a.out)
		}
	case len(c.Files) > 1:
		return firstError(report.WriteJSON(a.out, facts.Several{Schema: report.SchemaInfo, Files: objects}), err)
	case len(objects) == 1:
		return report.WriteJSON(a.out, objects[0])
	}
	return err
}

// eachFile calls f for every file. The errors of all but the last failing file are printed, and that one is returned.
func eachFile(paths []string, stderr io.Writer, f func(path string) error) error {
	var last error
	for _, path := range paths {
		if err := f(path); err != nil {
			if last != nil {
				fmt.Fprintln(stderr, "memtui: "+model.Clean(last.Error()))
			}
			last = err
		}
	}
	return last
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (a *app) info(ctx context.Context, path string) (*facts.Object, error) {
	src, format, err := a.source(ctx, path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	if err := uses.Fits(a.parsed, a.inputs(), uses.Input{Name: src.Name(), Path: src.Path(), Format: format}); err != nil {
		return nil, fail.Usage(err)
	}
	var p *model.Profile
	err = src.Guard(func() error {
		p, err = format.Info(ctx, src, a.loading())
		return err
	})
	if err != nil {
		return nil, fail.Input(err)
	}
	o := facts.New(p)
	place, why := a.indexPlace(src, format)
	o.SetIndex(p, place, why)
	if src.Piped() && src.Size() < 0 {
		o.File.Bytes = 0 // of a pipe the size so far is meaningless
	}
	o.Complete = !model.HasError(p.Problems) // as far as headers tell
	o.SetFacts(p)
	return o, nil
}
