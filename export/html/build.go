package html

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/places"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// builder builds one page.
type builder struct {
	*page
	ctx    context.Context
	src    *Source
	limits limits

	names  map[string]int
	frames map[[3]int]int
	short  int      // names that were cut
	left   []string // parts that did not fit into memory
}

func build(ctx context.Context, src *Source, l limits, parts func(*builder) error) (*page, error) {
	r := src.Report
	b := &builder{
		page: &page{
			Title: model.Clean(r.File.Name), Complete: r.Complete, Program: src.Program, Findings: []finding{},
			Cards: []card{}, Charts: []chart{},
			Flames: []*flame{}, Tables: []*table{}, Cut: []string{}, Scope: []string{}, Names: []string{}, Frames: [][3]int{},
		},
		ctx: ctx, src: src, limits: l, names: map[string]int{}, frames: map[[3]int]int{},
	}
	b.head()
	if err := parts(b); err != nil {
		return nil, err
	}
	b.Start, b.Terminal = src.Start, src.Terminal
	if err := b.views(); err != nil {
		return nil, err
	}
	b.problems()
	if b.short > 0 {
		b.cut("%s longer than %d bytes are cut", model.Counted(b.short, "name"), l.name)
	}
	b.Command = CommandLine(src.Command)
	return b.page, ctx.Err()
}

// report fills the page about a file.
func (b *builder) report() error {
	for _, part := range []func() error{b.trace, b.heap, b.stacks, b.dump} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// cut records what was left out.
func (b *builder) cut(format string, args ...any) {
	b.Cut = append(b.Cut, fmt.Sprintf(format, args...))
}

// part adds a part of the page; f stores nothing if it fails. If there is not enough memory, the page says so.
func (b *builder) part(what string, f func() error) error {
	whole := b.ctx
	defer func() { b.ctx = whole }()
	err := model.BudgetOf(whole).Try(whole, what, func(ctx context.Context) error {
		b.ctx = ctx
		return f()
	})
	if short := (*model.MemoryError)(nil); !errors.As(err, &short) {
		return err
	}
	b.Complete = false
	b.left = append(b.left, what)
	b.cut("%s: not enough memory", what)
	return nil
}

// head adds the lines below the title.
func (b *builder) head() {
	r := b.src.Report
	if f := r.File; f.Format != "" {
		b.Facts = append(b.Facts, f.Kind())
	}
	size := model.Bytes(max(r.File.Bytes, 0)).String()
	if r.File.Compression != "" {
		size += " " + r.File.Compression
	}
	b.Facts = append(b.Facts, size)
	if r.File.Sampled != "" {
		b.Facts = append(b.Facts, model.Estimates(r.File.Sampled))
	}
	if r.Trace != nil {
		b.Facts = append(b.Facts, model.Counted(r.Trace.Events, "event"))
	}
	if r.Time.Duration != nil && *r.Time.Duration > 0 {
		b.Facts = append(b.Facts, r.Time.Duration.In(r.Time.Unit))
	}
	if r.Time.Start != nil && *r.Time.Start != 0 {
		b.Facts = append(b.Facts, "started "+cells.StartTime(*r.Time.Start))
	}
	if r.Time.From != nil || r.Time.To != nil {
		from, to := model.PartEnds(r.Time.From, r.Time.To, r.Time.Unit)
		b.Scope = append(b.Scope, "range from "+cmp.Or(from, "the start")+" to "+cmp.Or(to, "the end"))
	}
	if !r.Complete {
		text := "the file is not complete: totals are lower bounds"
		switch {
		case r.Trace != nil:
			text = analysis.Damage(r.LostBytes)
		case r.LostBytes > 0:
			text = model.Bytes(r.LostBytes).String() + " of the file could not be read: totals are lower bounds"
		}
		b.Findings = append(b.Findings, finding{Sign: "bad", Label: "damaged", Name: none, Text: text})
	}
}

// filters adds the filters of stacks and blocks.
func (b *builder) filters(list []string) {
	for _, f := range list {
		b.Scope = append(b.Scope, "flame graph and tables: "+model.Clean(f))
	}
	for _, u := range b.src.Report.NoMatch {
		b.Scope = append(b.Scope, u.String())
	}
}

// problems adds the table of what is damaged, guessed or uncertain.
func (b *builder) problems() {
	t := b.table("problems", "Remarks", "what is damaged, guessed or uncertain", 0,
		cols(titles.Severity+":text", titles.Count+":count", titles.What+":message", titles.AtByte+":plain", titles.Line+":plain")...)
	for _, p := range report.Listed(b.src.Report.Problems) {
		var offset, line any
		if p.Offset != nil {
			offset = *p.Offset
		}
		if p.Line != nil {
			line = *p.Line
		}
		t.add(p.Severity, p.Count, model.Clean(p.Message), offset, line)
	}
	for _, what := range b.left {
		p := model.BudgetOf(b.ctx).Problem(what + " is left out")
		t.add(p.Severity.String(), p.Count, p.Message, nil, nil)
	}
	b.keep(t)
}

// none is the index of no name.
const none = -1

// name returns the index of a cleaned name.
func (b *builder) name(s string) int {
	s, long := cutName(s, b.limits.name)
	i, ok := b.names[s]
	if !ok {
		i = len(b.Names)
		b.names[s] = i
		b.Names = append(b.Names, s)
		if long {
			b.short++
		}
	}
	return i
}

// brief returns a cleaned name that is not longer than the page has room for.
func (b *builder) brief(s string) string {
	s, long := cutName(s, b.limits.name)
	if long {
		b.short++
	}
	return s
}

// cutName returns at most so many bytes of a cleaned name.
func cutName(s string, most int) (short string, long bool) {
	if s = model.Clean(s); len(s) <= most {
		return s, false
	}
	return strings.ToValidUTF8(s[:most], "") + "…", true
}

// frame returns the index of a place.
func (b *builder) frame(p places.Place) int {
	f := [3]int{b.name(p.Name()), none, none}
	if p.File != nil && *p.File != "" {
		f[1] = b.name(*p.File)
	}
	if p.Line != nil && *p.Line > 0 && *p.Line < 1<<31 {
		f[2] = int(*p.Line)
	}
	return b.frameOf(f)
}

func (b *builder) frameOf(f [3]int) int {
	i, ok := b.frames[f]
	if !ok {
		i = len(b.Frames)
		b.frames[f] = i
		b.Frames = append(b.Frames, f)
	}
	return i
}

// share returns part of whole in percent, "" of nothing.
func share(part, whole uint64) string { return model.ShareOf(part, whole).String() }

// bytesCard returns a card with a rounded amount of memory; its exact one is a tooltip.
func bytesCard(label string, n uint64, note string) card {
	value, unit, _ := strings.Cut(model.Bytes(n).String(), " ")
	return card{Label: label, Value: value, Unit: unit, Note: note, Exact: model.Bytes(n).Exact()}
}

// estimate marks a card about blocks as one about samples.
func (c *card) estimate() {
	c.Note = model.AsEstimates(c.Note)
	if c.Exact != "" {
		c.Value, c.Exact = model.AsEstimate(c.Value), model.AsEstimate(c.Exact)
	}
}

// CommandLine returns a command quoted for a shell, without control characters.
func CommandLine(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		w = model.Clean(w)
		if w == "" || strings.ContainsFunc(w, func(r rune) bool { return !strings.ContainsRune(plainRunes, r) }) {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		out[i] = w
	}
	return strings.Join(out, " ")
}

// plainRunes are the characters that need no quotes in a shell.
const plainRunes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,%+@#"
