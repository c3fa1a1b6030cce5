package spaa

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

const formatName = "spaa"

// Format returns the SPAA format, version 1.0.
func Format() loaders.Format {
	return loaders.Format{
		Records:    model.FacetProfile,
		Name:       formatName,
		Summary:    "stack profiles of any tool: weighted stacks, samples, windows of time",
		Extensions: []string{".spaa"},
		Copy:       copyRecords,
		Sniff:      sniff,
		Load:       load,
		Info:       info,
		Validate:   validate,
	}
}

// sniff searches for members that only these files have: names are in any order, and the header may be long.
func sniff(head []byte) loaders.Confidence {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(head) == 0 || head[0] != '{' {
		return loaders.No
	}
	for _, name := range []string{`"spaa"`, `"primary_metric"`, `"frame_order"`, `"stack_id_mode"`} {
		if bytes.Contains(head, []byte(name)) {
			return loaders.Sure
		}
	}
	if !bytes.Contains(head, []byte(`"type"`)) {
		return loaders.No
	}
	for _, name := range []string{`"header"`, `"dso"`, `"frame"`, `"stack"`, `"stack_id"`, `"thread"`} {
		if bytes.Contains(head, []byte(name)) {
			return loaders.Maybe
		}
	}
	return loaders.No
}

var errNothing = errors.New("no record of it can be read")

// load reads everything, publishing meanwhile.
func load(ctx context.Context, src *loaders.Source, _ loaders.Options, store *model.Store) error {
	b := newBuilder(src, false)
	defer b.free()
	last := time.Time{}
	meta := b.meta()
	err := each(ctx, src, false, func(k *block) error {
		if err := b.merge(k); err != nil {
			return err
		}
		if b.empty() || time.Since(last) < publishEvery {
			return nil
		}
		last, meta = time.Now(), b.meta()
		store.Update(func(*model.Profile) *model.Profile { return b.profile(meta, false) })
		return nil
	})
	stopped := err != nil
	b.finish(ctx)
	if b.empty() {
		if err == nil {
			err = b.refuse()
		}
		return err
	}
	if b.short(err) {
		err = nil
	}
	if stopped && ctx.Err() != nil {
		b.found.record(model.Warning, "stopped", model.NoOffset, 0, "reading was stopped: there is more in the file")
		err = nil
	}
	meta = b.meta()
	whole := !stopped && b.lost == 0
	store.Update(func(*model.Profile) *model.Profile { return b.profile(meta, whole) })
	return err
}

// short reports whether err means that the rest of the file does not fit the budget, and records that as a problem.
func (b *builder) short(err error) bool {
	if short := (*model.MemoryError)(nil); !errors.As(err, &short) {
		return false
	}
	p := b.src.Budget().Problem("reading stopped at byte " + model.Group(uint64(b.offset)) + ": the rest was left out")
	p.Line = b.lines + 1
	b.found.add(p)
	return true
}

// empty reports whether nothing was read that could be shown.
func (b *builder) empty() bool {
	c := b.p.Counts
	return b.header == nil && c.Stacks == 0 && c.Samples == 0 && c.Frames == 0
}

// refuse returns the error of a file that cannot be used at all.
func (b *builder) refuse() error {
	e := &loaders.FormatError{Format: formatName, Path: b.src.Path(), Offset: 0, Line: 1, Err: errNothing}
	cause := model.CutShort(b.found.all)
	if i := slices.IndexFunc(b.found.all, func(p model.Problem) bool { return p.Severity == model.Error }); cause == nil && i >= 0 {
		cause = &b.found.all[i]
	}
	if cause != nil {
		e.Offset, e.Line, e.Err = cause.Offset, cause.Line, errors.New(cause.Message)
	}
	return e
}

// validate checks every rule of the specification.
func validate(ctx context.Context, src *loaders.Source, report func(loaders.Violation)) error {
	b := newBuilder(src, true)
	defer b.free()
	if err := each(ctx, src, true, b.merge); err != nil && !b.short(err) {
		return err
	}
	b.finish(ctx)
	loaders.Report(b.found.list(), report)
	return nil
}

// lineReader reads lines of a source again.
type lineReader struct{ src *loaders.Source }

// Line returns the line at an offset, at most maxLine of it.
func (r *lineReader) Line(offset int64) ([]byte, error) {
	for size := 4 << 10; ; size *= 4 {
		buf := make([]byte, size)
		n, err := r.src.ReadAt(buf, offset)
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			return bytes.TrimSuffix(buf[:i], []byte("\r")), nil
		}
		switch {
		case errors.Is(err, io.EOF) || size > maxLine:
			return buf[:n], nil
		case err != nil:
			return nil, err
		}
	}
}
