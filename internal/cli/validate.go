package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/uses"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

type validateCmd struct {
	Files []string `arg:"" name:"file" help:"Files, or - for standard input."`
}

// validation is the result of validate about one file.
type validation struct {
	report.Header
	Valid      bool        `json:"valid"`
	Violations []violation `json:"violations"`

	unread *violation // why the rest of the file is not checked; nil if all was
	broken bool       // a rule is broken
}

type violation struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Offset   *int64 `json:"offset,omitzero"`
	Line     *int64 `json:"line,omitzero"`
	Count    int64  `json:"count"`
}

// severalValidations is the object for more than one file.
type severalValidations struct {
	Schema string        `json:"schema"`
	Valid  bool          `json:"valid"`
	Files  []*validation `json:"files"`
}

// Run checks files. The status reports whether all of them are valid; one that cannot be used at all, or of which
// nothing can be said, weighs most.
func (c *validateCmd) Run(ctx context.Context, a *app) error {
	if err := a.formats("validate", "text", "json"); err != nil {
		return err
	}
	all := severalValidations{Schema: report.SchemaValidate, Valid: true}
	err := eachFile(c.Files, a.env.Stderr, func(path string) error {
		v, err := a.validate(ctx, path)
		if err != nil {
			return err
		}
		all.Files = append(all.Files, v)
		all.Valid = all.Valid && v.Valid
		if a.flags.Format == "text" {
			v.text(a.out)
		}
		return v.undecided()
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

func (a *app) validate(ctx context.Context, path string) (*validation, error) {
	src, format, err := a.source(ctx, path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	if err := uses.Fits(a.parsed, a.inputs(), uses.Input{Name: src.Name(), Path: src.Path(), Format: format}); err != nil {
		return nil, fail.Usage(err)
	}
	v := &validation{Valid: true, Header: a.validateHeader(ctx, src, format)}
	report := func(x loaders.Violation) { v.add(x) }
	err = src.Guard(func() error { return format.Validate(ctx, src, report) })
	for _, p := range src.Problems() {
		v.add(loaders.Violation{Rule: p.Code, Severity: p.Severity, Message: p.Message, Offset: p.Offset, Line: p.Line, Count: p.Count})
	}
	var broken *loaders.FormatError
	switch {
	case errors.As(err, &broken):
		v.add(loaders.Violation{Rule: "unreadable", Severity: model.Error, Message: broken.Error(),
			Offset: broken.Offset, Line: broken.Line, Count: 1})
	case err != nil:
		return nil, err
	}
	v.File.Bytes = src.StoredSize() // for a pipe known only now
	v.Complete = v.Valid
	return v, nil
}

// validateHeader returns the header of a report about the file. For a damaged file, it has as much as its loader finds
// out.
func (a *app) validateHeader(ctx context.Context, src *loaders.Source, format loaders.Format) report.Header {
	var p *model.Profile
	err := src.Guard(func() (err error) {
		p, err = format.Info(ctx, src, loaders.Options{})
		return err
	})
	if err != nil || p == nil {
		h := report.NewHeader(report.SchemaValidate, &model.Profile{
			Meta: model.Meta{Path: src.Path(), Name: src.Name(), Format: format.Name, Size: src.StoredSize(), Outer: src.Outer()},
		})
		h.File.Version = nil
		return h
	}
	h := report.NewHeader(report.SchemaValidate, p)
	h.Problems = nil // the violations include them
	return h
}

// add records a violation. Notes are not violations: they explain, and nothing is wrong.
func (v *validation) add(x loaders.Violation) {
	if x.Severity == model.Note {
		return
	}
	out := violation{Rule: x.Rule, Severity: x.Severity.String(), Message: x.Message, Count: x.Count}
	if x.Offset >= 0 {
		out.Offset = &x.Offset
	}
	if x.Line > 0 {
		out.Line = &x.Line
	}
	v.Violations = append(v.Violations, out)
	v.broken = v.broken || x.Severity == model.Error
	if x.Rule == model.CodeMemory && v.unread == nil { // it is unknown whether that part follows the rules
		v.unread = &out
	}
	v.Valid = !v.broken && v.unread == nil
}

// undecided returns an error if no rule is broken in the checked part, and the rest did not fit into memory.
func (v *validation) undecided() error {
	if v.broken || v.unread == nil {
		return nil
	}
	return partError(v.File.Name, noValidity, v.unread.Message)
}

func (v *validation) text(w io.Writer) {
	verdict := "valid"
	switch {
	case v.broken:
		verdict = "INVALID"
	case !v.Valid:
		verdict = "not checked to its end"
	case len(v.Violations) > 0:
		verdict = "valid, with warnings"
	}
	fmt.Fprintf(w, "%s: %s\n", model.Clean(v.File.Name), verdict)
	for _, x := range v.Violations {
		at := "        -"
		if x.Offset != nil {
			at = fmt.Sprintf("%9d", *x.Offset)
		}
		if x.Line != nil {
			at += fmt.Sprintf(" line %d", *x.Line)
		}
		times := ""
		if x.Count > 1 {
			times = " (" + model.Group(uint64(x.Count)) + " times)"
		}
		fmt.Fprintf(w, "  %s  %-7s  %s: %s%s\n", at, x.Severity, model.Clean(x.Rule), model.Clean(x.Message), times)
	}
}
