package cli

import (
	"context"
	"errors"

	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/rules"
	"github.com/memtui/memtui/internal/cli/uses"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

type validateCmd struct {
	Files []string `arg:"" name:"file" help:"Files, or - for standard input."`
}

// Run checks files. The status reports whether all of them are valid; one that cannot be used at all, or of which
// nothing can be said, weighs most.
func (c *validateCmd) Run(ctx context.Context, a *app) error {
	if err := a.formats("validate", "text", "json"); err != nil {
		return err
	}
	all := rules.Several{Schema: report.SchemaValidate, Valid: true}
	err := eachFile(c.Files, a.env.Stderr, func(path string) error {
		v, err := a.validate(ctx, path)
		if err != nil {
			return err
		}
		all.Files = append(all.Files, v)
		all.Valid = all.Valid && v.Valid
		if a.flags.Format == "text" {
			v.Text(a.out)
		}
		if why := v.Unread(); why != "" {
			return partError(v.File.Name, noValidity, why)
		}
		return nil
	})
	var writeErr error
	switch {
	case a.flags.Format == "text":
	case len(c.Files) > 1:
		all.Valid = all.Valid && err == nil
		writeErr = report.WriteJSON(a.out, all)
	case len(all.Files) == 1:
		writeErr = report.WriteJSON(a.out, all.Files[0])
	}
	if err := firstError(writeErr, err); err != nil || all.Valid {
		return err
	}
	return &fail.Error{Status: fail.Violated}
}

func (a *app) validate(ctx context.Context, path string) (*rules.Result, error) {
	src, format, err := a.source(ctx, path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	if err := uses.Fits(a.parsed, a.inputs(), uses.Input{Name: src.Name(), Path: src.Path(), Format: format}); err != nil {
		return nil, fail.Usage(err)
	}
	v := rules.New(ctx, src, format)
	report := func(x loaders.Violation) { v.Add(x) }
	err = src.Guard(func() error { return format.Validate(ctx, src, report) })
	for _, p := range src.Problems() { // those that the format has not reported itself
		v.AddOnce(loaders.Violation{Rule: p.Code, Severity: p.Severity, Message: p.Message, Offset: p.Offset, Line: p.Line, Count: p.Count})
	}
	var broken *loaders.FormatError
	switch {
	case errors.As(err, &broken):
		v.Add(loaders.Violation{Rule: "unreadable", Severity: model.Error, Message: broken.Error(),
			Offset: broken.Offset, Line: broken.Line, Count: 1})
	case err != nil:
		return nil, err
	}
	v.File.Bytes = src.StoredSize() // for a pipe known only now
	v.Complete = v.Valid
	return v, nil
}
