package memdump

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// MB returns the .mb format.
func MB() loaders.Format {
	return loaders.Format{
		Records:    model.FacetTimeline,
		Name:       mbName,
		Summary:    "Memory Dump, binary: measured curves with page layouts",
		Extensions: []string{".mb"},
		Sniff:      sniffMB,
		Load: func(ctx context.Context, src *loaders.Source, _ loaders.Options, store *model.Store) error {
			return loadMB(ctx, src, store)
		},
		Info: func(ctx context.Context, src *loaders.Source, _ loaders.Options) (*model.Profile, error) {
			return infoMB(ctx, src)
		},
		Validate: validateMB,
	}
}

func sniffMB(head []byte) loaders.Confidence {
	switch {
	case len(head) > 1 && strings.HasPrefix(mbMagic, string(head[:min(4, len(head))])):
		return loaders.Sure
	case bareBody(head):
		return loaders.Maybe
	}
	return loaders.No
}

// bareBody recognizes a body without its header: the rest of a file whose header was cut off and that was then
// decompressed.
func bareBody(head []byte) bool {
	s := newStream(&direct{r: strings.NewReader(string(head)), size: len(head)}, 0)
	if s.u8() != sectionStrings {
		return false
	}
	n := s.uvarint()
	for i := uint64(0); i < n && i < 16; i++ {
		length := s.uvarint()
		text := s.appendTo(nil, min(length, uint64(len(head))))
		if s.ended {
			return i > 0
		}
		for _, c := range text {
			if c < ' ' && c != '\n' && c != '\t' {
				return false
			}
		}
	}
	return n > 16 || n > 0 && !s.ended && (s.atEnd() || s.u8() <= sectionSeries)
}

// mbFile is a .mb that was read from the beginning.
type mbFile struct {
	header mbHeader
	marks  *marks
	body   mbBody
	a      *assembly
	found  *findings
	lost   int64
}

// readMB reads everything but layouts; with strict it also checks those. Points go to a sink if there is one.
func readMB(ctx context.Context, src *loaders.Source, strict bool, to *sink) (*mbFile, error) {
	f := &mbFile{found: &findings{}, marks: &marks{spacing: markSpacing}}
	h, err := readHeader(ctx, src, f.found)
	if err != nil {
		return nil, err
	}
	f.header = h
	f.a = newAssembly(limits{src}, f.found)
	f.a.sink = to
	f.body = mbBody{ctx: ctx, a: f.a, found: f.found, strict: strict}
	if !h.gzip {
		raw := &fileReader{ctx: ctx, src: src, off: h.size}
		f.body.s = newStream(&direct{r: raw, size: aheadChunk}, h.size)
		err = f.body.read()
	} else {
		err = f.inflate(ctx, src)
	}
	if err != nil {
		return nil, err
	}
	if f.found.broken() && !f.body.s.atEnd() {
		f.lost = max(1, src.StoredSize()-f.body.s.offset())
	}
	if len(f.a.series) == 0 && !f.body.s.ended && !f.found.broken() {
		f.found.add(model.Warning, "series", h.size, 0, "the file holds no series")
	}
	return f, nil
}

// inflate reads a compressed body, which another goroutine inflates.
func (f *mbFile) inflate(ctx context.Context, src *loaders.Source) error {
	g := newGunzip(ctx, src, f.header.size, f.marks)
	a := readAhead(g)
	f.body.s = newStream(a, f.header.size)
	err := f.body.read()
	a.close()
	if g.trailer {
		f.found.add(model.Warning, "trailing", f.body.s.offset(), 0, "bytes follow the compressed body")
	}
	return err
}

var errNoSeries = errors.New("no series can be read")

// refuse returns the error of a file that cannot be used at all, nil for one that has contents, or is validly empty.
func refuse(src *loaders.Source, format string, series int, found *findings) error {
	if series > 0 {
		return nil
	}
	for _, p := range found.list {
		if p.Severity == model.Error && p.Code != "magic" && p.Code != "version" && p.Code != "flags" {
			return &loaders.FormatError{Format: format, Path: src.Path(), Offset: p.Offset, Line: p.Line,
				Err: fmt.Errorf("%w: %s", errNoSeries, p.Message)}
		}
	}
	return nil
}

func loadMB(ctx context.Context, src *loaders.Source, store *model.Store) error {
	f, err := readMB(ctx, src, false, nil)
	if err == nil {
		err = refuse(src, mbName, len(f.a.series), f.found)
	}
	if err != nil {
		return err
	}
	d := &mbDecoder{src: src, header: f.header, marks: f.marks, strings: f.body.strings, tables: f.body.tables}
	p := assemble(f.describe(src), f.a, d, f.lost)
	p.Timeline.Points = points{src, func(ctx context.Context, to *sink) error {
		_, err := readMB(ctx, src, false, to)
		return err
	}}
	store.Publish(p)
	return nil
}

// assemble builds the profile of the assembly.
func assemble(meta model.Meta, a *assembly, d decoder, lost int64) *model.Profile {
	meta.Facts = append(meta.Facts, a.facts()...)
	if len(a.layouts) > 0 && a.ofProcess() {
		a.found.add(model.Note, "resident-pages", model.NoOffset, 0, "the layouts are those of a process's address space, in units of 64 KiB: what is occupied is resident, "+
			"a hole is mapped and not resident, which costs no memory; what packing would reclaim is of no use, as a process cannot pack its pages")
	}
	p := &model.Profile{Meta: meta, Timeline: a.timeline(), Lost: lost, Problems: a.found.list}
	p.Complete = lost == 0 && !a.lossy()
	if a.start >= 0 {
		p.Meta.Start, p.Meta.HasStart = uint64(a.start), true
	}
	if len(a.layouts) > 0 {
		p.Pages = newPages(a.layouts, d, a.limits.src.Budget())
	}
	return p
}

// ofProcess reports whether the curves are those that record --pages writes.
func (a *assembly) ofProcess() bool {
	want := map[string]bool{"RSS": true, "Anon": true, "File": true, "Swap": true}
	for i := range a.series {
		delete(want, a.series[i].Name)
	}
	return len(want) == 0
}

// lossy reports whether a part of the file is in no column.
func (a *assembly) lossy() bool {
	for i := range a.series {
		if a.series[i].Dropped > 0 {
			return true
		}
	}
	for _, p := range a.found.list {
		switch p.Code {
		case "gzip", "section", "truncated", "too-large", "json", "varint", "string-index", "event-index", "series", "point":
			if p.Severity == model.Error {
				return true
			}
		}
	}
	return false
}

func (a *assembly) facts() []model.Fact {
	return []model.Fact{
		number("series", "Series", int64(len(a.series))),
		number("points", "Points", int64(a.points)),
		number("layouts", "Page layouts", int64(len(a.layouts))),
	}
}

func number(key, label string, n int64) model.Fact {
	return model.Fact{Key: key, Label: label, Value: model.Group(uint64(n)), Int: n, HasInt: true}
}

func (f *mbFile) describe(src *loaders.Source) model.Meta {
	m := describe(src, mbName)
	m.Version = int(f.header.version)
	m.Facts = append(m.Facts, f.header.facts()...)
	return m
}

func describe(src *loaders.Source, format string) model.Meta {
	return model.Meta{Path: src.Path(), Name: src.Name(), Format: format, Version: model.NoVersion,
		Size: src.StoredSize(), Outer: src.Outer()}
}

func (h mbHeader) facts() []model.Fact {
	body := "not compressed"
	if h.gzip {
		body = "gzip"
	}
	return []model.Fact{number("flags", "Flags", int64(h.flags)), {Key: "body", Label: "Body", Value: body}}
}

// countable is the stored size up to which reading the complete file is fast enough.
const countable = 8 << 20

// infoMB counts the contents of small files; of large ones it reads the header only.
func infoMB(ctx context.Context, src *loaders.Source) (*model.Profile, error) {
	if src.StoredSize() <= countable {
		f, err := readMB(ctx, src, false, nil)
		if err == nil {
			err = refuse(src, mbName, len(f.a.series), f.found)
		}
		if err != nil {
			return nil, err
		}
		p := assemble(f.describe(src), f.a, nil, f.lost)
		return &model.Profile{Meta: p.Meta, Problems: p.Problems, Lost: p.Lost}, nil
	}
	var found findings
	h, err := readHeader(ctx, src, &found)
	if err != nil {
		return nil, err
	}
	return &model.Profile{Meta: (&mbFile{header: h}).describe(src), Problems: found.list}, nil
}

func validateMB(ctx context.Context, src *loaders.Source, report func(loaders.Violation)) error {
	f, err := readMB(ctx, src, true, nil)
	if loaders.ReportRefusal(err, "", report) {
		return nil
	}
	if f == nil {
		return err
	}
	loaders.Report(f.found.list, report)
	return err
}
