// Package check holds the verdict on limits and leaks of a file, and writes it.
package check

import (
	"io"
	"math"
	"strings"

	"github.com/memtui/memtui/analysis/suspects"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/object"
	"github.com/memtui/memtui/model"
)

// schemaCheck is the name of the object with the limits that hold.
const schema = "memtui.check/1"

// Result is the result of checking the limits of a file.
type Result struct {
	report.Header
	OK     bool    `json:"ok"`
	Checks []Limit `json:"checks"` // in the order of the command's help
	Base   *Base   `json:"base,omitzero"`

	Leaks *Leaks `json:"leaks,omitzero"` // if requested
}

// Limit is one figure and what it must not exceed.
type Limit struct {
	Name     string      `json:"name"`  // the flag without dashes
	Asked    string      `json:"asked"` // the limit as the user wrote it
	Unit     string      `json:"unit"`  // "bytes", or per time as asked: "bytes/s", "bytes/h"; "leaks"; UnitObjects
	Value    int64       `json:"value"` // the largest number that fits where it does not
	Limit    int64       `json:"limit"`
	Base     *int64      `json:"base,omitzero"` // the figure of the other file, for relative limits
	At       *model.Time `json:"at_us,omitzero"`
	Snapshot *int        `json:"snapshot,omitzero"`
	Series   *string     `json:"series,omitzero"`
	Live     bool        `json:"live,omitzero" csv:"-"`    // of max-leak: the file records live memory, not leaks
	Unfreed  bool        `json:"unfreed,omitzero" csv:"-"` // of max-leak: what was never freed, leak or not
	OK       bool        `json:"ok"`
	Reason   string      `json:"reason"`

	Types     []GrownType `json:"types,omitzero" csv:"-"` // of limits for the growth of types: those that exceed it
	TypeCount *int        `json:"type_count,omitzero" csv:"-"`

	leaks *Leaks // that the limit is about
}

// Base is the file for comparison.
type Base struct {
	File    report.File      `json:"file"`
	Summary string           `json:"summary"`
	Rows    []report.DiffRow `json:"grown,omitzero"` // what grew most, or is new; absent where rows are left out
	Count   *int             `json:"grown_count,omitzero"`
	diff    *report.Diff
}

// New returns the result for limits. base may be nil; it should have only rows that grew and new ones. leaks may
// be nil.
func New(p *model.Profile, limits []Limit, base *report.Diff, leaks *Leaks) *Result {
	c := &Result{Header: report.NewHeader(schema, p), OK: true, Checks: limits, Leaks: leaks}
	for i := range limits {
		l := &limits[i]
		l.Reason = l.reason(c.File.Style(cells.Style{}))
		c.OK = c.OK && l.OK
	}
	if leaks != nil && c.File.Sampled != "" {
		leaks.estimate()
	}
	if base != nil {
		c.Base = &Base{File: base.Before.File, Summary: base.Summary, diff: base}
		if base.HasRows() {
			c.Base.Rows, c.Base.Count = base.Rows, &base.Count
		}
	}
	return c
}

func (l *Limit) amount(n int64, s cells.Style) string {
	if l.Unit == UnitObjects {
		return s.Count(cells.Magnitude(n)) + " objects"
	}
	out := s.Bytes(cells.Magnitude(n))
	if s.Exact {
		out += " B"
	}
	if n < 0 {
		out = "-" + out
	}
	_, per, _ := strings.Cut(l.Unit, "bytes")
	return out + per
}

// reason returns the verdict in words.
func (l *Limit) reason(s cells.Style) string {
	if l.leaks != nil {
		return l.leaks.reason(s)
	}
	what := map[string]string{
		"max-peak": "peak", "max-leak": "leaked", "max-growth": "growth", "max-live-at": "live",
		"max-type-growth": "growth of a type", "max-type-objects": "growth of a type",
	}[l.Name]
	switch {
	case l.Live:
		what = "live"
	case l.Unfreed:
		what = "never freed"
	}
	if l.Series != nil {
		what += " of " + report.OrUnnamed(*l.Series)
	}
	if l.At != nil {
		what += " at " + l.At.String()
	}
	if l.Snapshot != nil {
		what += " in snapshot " + model.Group(uint64(*l.Snapshot))
	}
	if l.Series != nil {
		s = s.Stated() // it was measured
	}
	s.Exact = s.Exact || l.amount(l.Value, s) == l.amount(l.Limit, s) // otherwise both would look the same
	word := " is within "
	if !l.OK {
		word = " exceeds "
	}
	out := what + ": " + l.amount(l.Value, s) + word + l.amount(l.Limit, s.Stated())
	if l.Base != nil {
		out += " (" + l.Asked + " of " + l.amount(*l.Base, s) + " in the base)"
	}
	return out
}

// Clamp limits a figure to what JSON represents exactly.
func Clamp(n uint64) int64 { return int64(min(n, math.MaxInt64)) }

// WriteText writes c as text: one line per limit, and what grew since the base if a limit is exceeded.
func WriteText(w io.Writer, c *Result, style cells.Style) error {
	style = c.File.Style(style)
	t := report.NewTextWriter(w, c.Header, style)
	t.Line(t.Style.Bold(model.Clean(c.File.Name)), "  ", style.Text(c.verdict()))
	names := len("--max-live-at  ")
	for i := range c.Checks {
		names = max(names, len("--"+c.Checks[i].Name+"  "))
	}
	for i := range c.Checks {
		l := &c.Checks[i]
		t.Line(" ", cells.Pad(map[bool]string{true: "ok", false: "FAIL"}[l.OK], 6, false),
			cells.Pad("--"+l.Name, names, false), style.Text(l.reason(style)))
		for _, line := range l.lines(style) {
			t.Line("        ", cells.Fit(style.Text(line), style.LineWidth()-8, style.Cut()))
		}
	}
	if c.Leaks != nil {
		c.Leaks.write(t)
	}
	if c.Base != nil {
		t.Line()
		t.Line("since ", model.Clean(c.Base.File.Name), ": ", style.Text(c.Base.diff.Sentence(style)))
		if !c.OK && len(c.Base.Rows) > 0 {
			t.Changes(c.Base.diff)
		}
	}
	t.Problems()
	return t.Flush()
}

// verdict returns a line that sums up the limits.
func (c *Result) verdict() string {
	failed := 0
	for i := range c.Checks {
		if !c.Checks[i].OK {
			failed++
		}
	}
	out := "ok: " + model.Counted(len(c.Checks), "limit") + " kept"
	if len(c.Checks) == 0 {
		out = "ok: no limit given"
	}
	if failed > 0 {
		out = "FAILED: " + model.Group(uint64(failed)) + " of " + model.Counted(len(c.Checks), "limit") + " exceeded"
	}
	if c.File.Sampled != "" {
		out += "; " + model.Estimates(c.File.Sampled)
	}
	if !c.Complete {
		out += "; part of the file could not be read: figures cover the rest"
	}
	return out
}

// WriteMarkdown writes c for tickets and summaries of CI, with the content of [WriteText].
func WriteMarkdown(w io.Writer, c *Result, style cells.Style) error {
	style = c.File.Style(style)
	m := report.NewMarkdownWriter(w, c.Header, style)
	m.Printf("# %s\n\n%s\n\n| | limit | figure |\n|---|---|---|\n", cells.Code(c.File.Name), style.Text(c.verdict()))
	for i := range c.Checks {
		l := &c.Checks[i]
		m.Printf("| %s | %s | %s |\n", map[bool]string{true: "ok", false: "**FAIL**"}[l.OK], cells.Code("--"+l.Name),
			cells.Prose(style.Text(l.reason(style))))
		for _, line := range l.lines(style) {
			m.Printf("| | | %s |\n", cells.Prose(style.Text(line)))
		}
	}
	if c.Leaks != nil {
		c.Leaks.markdown(m, style)
	}
	if c.Base != nil {
		m.Printf("\nSince %s: %s\n", cells.Code(c.Base.File.Name), style.Text(c.Base.diff.MarkdownSentence(style)))
		if !c.OK && len(c.Base.Rows) > 0 {
			m.Changes(c.Base.diff)
		}
	}
	m.Problems()
	return m.Flush()
}

// WriteCSV writes the limits with the JSON names as header.
func WriteCSV(w io.Writer, c *Result) error {
	return object.WriteRows(w, c.Checks, nil, c.Estimated())
}

// Estimated implements [object.Estimating].
func (c *Result) Estimated() object.Estimates {
	return object.Estimates{Amounts: c.File.Estimated(), Bounded: c.File.Estimated()}
}

// GrownType is a type of objects that grew more than a limit allows.
type GrownType struct {
	Type        string `json:"type"`
	Sub         string `json:"of,omitzero"` // what distinguishes types of one name: the loader of a class
	FirstBytes  uint64 `json:"first_bytes"`
	LeastBytes  uint64 `json:"least_bytes"`
	Bytes       uint64 `json:"bytes"`        // in the last snapshot
	GrownBytes  uint64 `json:"growth_bytes"` // since the snapshot that had least
	FirstCount  uint64 `json:"first_count"`
	LeastCount  uint64 `json:"least_count"`
	Count       uint64 `json:"count"`
	GrownCount  uint64 `json:"growth_count"`
	countsCount bool   // the limit is on the number of objects
}

// SetTypes lists the types that grew more than the limit, at most n of them, 0 for all. The most grown come first.
func (l *Limit) SetTypes(list []suspects.TypeGrowth, n int) {
	l.Types, l.TypeCount = []GrownType{}, new(int)
	for i := range list {
		t := &list[i]
		of := &t.Bytes
		if l.Unit == UnitObjects {
			of = &t.Count
		}
		if Clamp(of.Growth()) <= l.Limit {
			continue
		}
		if *l.TypeCount++; n == 0 || len(l.Types) < n {
			l.Types = append(l.Types, GrownType{
				t.Name, t.Sub, t.Bytes.First(), t.Bytes.Least(), t.Bytes.Last(), t.Bytes.Growth(),
				t.Count.First(), t.Count.Least(), t.Count.Last(), t.Count.Growth(), l.Unit == UnitObjects,
			})
		}
	}
}

// UnitObjects is the unit of limits that count objects.
const UnitObjects = "objects"

func (t *GrownType) line(s cells.Style) string {
	name := s.Shorten(model.Clean(t.Type))
	if t.Sub != "" {
		name += " (" + model.Clean(t.Sub) + ")"
	}
	if t.countsCount {
		return name + ": " + s.Count(t.FirstCount) + " → " + model.Counted(t.Count, "object") + ", +" +
			s.Count(t.GrownCount) + "; +" + s.Bytes(t.GrownBytes)
	}
	return name + ": " + s.Bytes(t.FirstBytes) + " → " + s.Bytes(t.Bytes) + ", +" + s.Bytes(t.GrownBytes) + "; +" +
		model.Counted(t.GrownCount, "object")
}

// lines says which types exceed the limit.
func (l *Limit) lines(s cells.Style) (out []string) {
	for i := range l.Types {
		out = append(out, l.Types[i].line(s))
	}
	if l.TypeCount != nil && *l.TypeCount > len(l.Types) {
		out = append(out, "… "+model.Group(uint64(*l.TypeCount-len(l.Types)))+" more (--limit 0 shows all)")
	}
	return out
}
