// Package fleet writes the answers to questions about a fleet of recordings.
package fleet

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/object"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// Report is the answer to a question, with the question. Its rows are those of the question's kind.
type Report struct {
	Schema   string       `json:"schema"`
	Question string       `json:"question"`
	What     fleet.What   `json:"what"`
	Figure   fleet.Figure `json:"figure"`
	Service  string       `json:"service,omitzero"`
	Version  string       `json:"version,omitzero"`
	Host     string       `json:"host,omitzero"`
	Labels   []string     `json:"labels,omitzero"`
	All      bool         `json:"all_versions,omitzero"`
	Every    bool         `json:"every_host,omitzero"` // not only outliers
	Before   string       `json:"before,omitzero"`
	After    string       `json:"after,omitzero"`
	Site     string       `json:"site,omitzero"`
	Basis    fleet.Basis  `json:"basis"`
	Notes    []string     `json:"notes,omitzero"`  // what the figures are of, in sentences
	Stacks   []Stack      `json:"stacks,omitzero"` // in question

	Sites      []fleet.TopRow       `json:"sites,omitzero"`
	Changes    []fleet.DiffRow      `json:"changes,omitzero"`
	Hosts      []fleet.OutlierRow   `json:"outliers,omitzero"`
	Versions   []fleet.TrendRow     `json:"versions,omitzero"`
	Services   []fleet.SpreadRow    `json:"services,omitzero"`
	Recordings []fleet.RecordingRow `json:"recordings,omitzero"`
	Curve      []fleet.CurveRow     `json:"curve,omitzero"`
	Shared     []fleet.SharedRow    `json:"shared,omitzero"`
}

const schema = "memtui.fleet/1"

// New returns the report of an answer, with the stacks that it is about.
func New(q *fleet.Question, a *fleet.Answer, stacks []Stack) *Report {
	return &Report{
		Schema: schema, Question: q.Kind.String(), What: cmp.Or(q.What, fleet.Sites), Figure: q.Figure, Service: q.Service,
		Version: q.Version, Host: q.Host, Labels: q.Labels, All: q.All, Every: q.Every, Before: q.Before, After: q.After, Site: q.Site,
		Basis: a.Basis, Notes: notes(q, a), Stacks: stacks, Sites: a.Top, Changes: a.Diff, Hosts: a.Outliers,
		Versions: a.Trend, Services: a.Spread, Recordings: a.Recordings, Curve: a.Curve, Shared: a.Shared,
	}
}

// rows returns the only list that there is.
func (r *Report) rows() any {
	switch r.Question {
	case fleet.Diff.String():
		return r.Changes
	case fleet.Outliers.String():
		return r.Hosts
	case fleet.Trend.String():
		return r.Versions
	case fleet.Spread.String():
		return r.Services
	case fleet.Recordings.String():
		return r.Recordings
	case fleet.Curve.String():
		return r.Curve
	case fleet.Shared.String():
		return r.Shared
	}
	return r.Sites
}

// Estimated implements [object.Estimating]: recordings that are sampled are among the others.
func (r *Report) Estimated() object.Estimates { return object.Estimates{Amounts: r.Basis.Sampled > 0} }

// Write writes the report in a format: text, json, markdown or csv.
func (r *Report) Write(w io.Writer, format string, s cells.Style) error {
	s.Estimated = r.Estimated().Amounts
	switch format {
	case "json":
		return report.WriteJSON(w, r)
	case "csv":
		return object.WriteRows(w, r.rows(), nil, r.Estimated())
	case "markdown":
		m := report.NewMarkdownWriter(w, report.Header{}, s)
		for _, n := range r.Notes {
			m.Printf("- %s\n", cells.Prose(s.Text(n)))
		}
		m.Table(r.layout(s))
		for i := range r.Stacks {
			m.Printf("\n%s\n\n", cells.Code(r.Stacks[i].title()))
			for _, f := range r.Stacks[i].Frames {
				m.Printf("- %s\n", cells.Code(f.String()))
			}
		}
		return m.Flush()
	}
	t := report.NewTextWriter(w, report.Header{}, s)
	for _, n := range r.Notes {
		for _, line := range cells.Wrapped(n, s.LineWidth()-1) {
			t.Line(" ", s.Text(line))
		}
	}
	t.Table(fitted(r.layout(s), s))
	for i := range r.Stacks {
		t.Line()
		t.Line(" ", s.Bold(cells.Fit(s.Text(r.Stacks[i].title()), s.LineWidth()-1, s.Cut())))
		for _, f := range r.Stacks[i].Frames {
			t.Line("   ", cells.Fit(f.String(), s.LineWidth()-3, s.Cut()))
		}
	}
	return t.Flush()
}

// fitted returns a table whose services, versions and hosts leave room for figures.
func fitted(t *cells.Table, s cells.Style) *cells.Table {
	for i, h := range t.Heads {
		if h.Kind != cells.Symbol {
			continue
		}
		for _, row := range t.Rows {
			row[i] = cells.Fit(row[i], max(leastSymbol, s.LineWidth()/6), s.Cut())
		}
	}
	return t
}

// leastSymbol is the width that the names of services, versions and hosts have at least.
const leastSymbol = 12

// layout returns the table.
func (r *Report) layout(s cells.Style) *cells.Table {
	l := &layout{r: r, s: s, out: &cells.Table{Answer: r.About()}}
	switch r.Question {
	case fleet.Diff.String():
		l.diff()
	case fleet.Outliers.String():
		l.outliers()
	case fleet.Trend.String():
		l.trend()
	case fleet.Spread.String():
		l.spread()
	case fleet.Recordings.String():
		l.recordings()
	case fleet.Curve.String():
		l.curve()
	case fleet.Shared.String():
		l.shared()
	default:
		l.top()
	}
	return l.out
}

// Heading returns the heading of the table.
func (r *Report) Heading() string { return r.layout(cells.Style{}).Heading }

// About says what the rows are of.
func (r *Report) About() string {
	text := string(r.Figure)
	switch r.What {
	case fleet.Sites:
	case fleet.Owners:
		text = "by owner · " + text
	default:
		text = string(r.What)
	}
	for _, x := range []struct{ word, value string }{{"service", r.Service}, {"version", r.Version}, {"host", r.Host}, {"site", r.Site}} {
		if x.value != "" {
			text += " · " + x.word + " " + model.Clean(x.value)
		}
	}
	for _, l := range r.Labels {
		text += " · " + model.Clean(l)
	}
	if r.All {
		text += " · every version"
	}
	if r.Question == fleet.Diff.String() {
		text += " · " + model.Clean(r.Before) + " → " + model.Clean(r.After)
	}
	return text
}

// layout lays out a table.
type layout struct {
	r   *Report
	s   cells.Style
	out *cells.Table
}

// heads sets the columns. That of services is left out where all are of the one asked for.
func (l *layout) heads(title string, heads ...cells.Head) {
	l.out.Heading, l.out.Answer = title, l.s.Text(l.out.Answer)
	for _, h := range heads {
		if h.Text != titles.Service || l.r.Service == "" {
			l.out.Heads = append(l.out.Heads, h)
		}
	}
}

// row adds a row, whose cell of the service is at.
func (l *layout) row(at int, cells ...string) {
	if l.r.Service != "" {
		cells = append(cells[:at:at], cells[at+1:]...)
	}
	l.out.Rows = append(l.out.Rows, cells)
}

func (l *layout) share(n, all uint64) string { return l.s.Share(n, all) }

func place(p fleet.Place) string { return model.Clean(p.String()) }

// thing returns the title of the column of things.
func (l *layout) thing() string {
	switch {
	case l.r.What.Stacks():
		return titles.Site
	case l.r.What == fleet.Owners:
		return titles.Owner
	}
	return titles.Type
}

// key returns the text of a stack, "" of other things.
func key(k fleet.Key) string {
	if k == 0 {
		return ""
	}
	return k.String()
}

func (l *layout) top() {
	counted := l.r.What.HasCounts()
	heads := []cells.Head{{Text: titles.Sum}, {Text: titles.Median}, {Text: titles.P95}, {Text: titles.Hosts}, {Text: titles.Share}}
	if counted {
		heads = slices.Insert(heads, 1, cells.Head{Text: titles.Count})
	}
	l.heads("Sites of the fleet", append(heads, cells.Head{Text: titles.Service, Kind: cells.Symbol},
		cells.Head{Text: l.thing(), Kind: cells.Name}, cells.Head{Text: titles.Stack, Kind: cells.Word})...)
	l.out.Spare = []string{titles.Stack}
	for _, x := range l.r.Sites {
		row := []string{l.s.Bytes(x.Total), l.s.Bytes(x.Median), l.s.Bytes(x.P95), l.s.Count(x.Hosts), l.share(x.Hosts, x.All)}
		if counted {
			row = slices.Insert(row, 1, l.s.Count(x.Count))
		}
		l.row(len(row), append(row, model.Clean(x.Service), place(x.Place), key(x.Stack))...)
	}
	l.unkeyed()
}

// unkeyed leaves out the column of stacks where things are none.
func (l *layout) unkeyed() {
	if l.r.What.Stacks() {
		return
	}
	name := "Types"
	if l.r.What == fleet.Owners {
		name = "Owners"
	}
	l.out.Heading = strings.Replace(l.out.Heading, "Sites", name, 1)
	at := len(l.out.Heads) - 1
	l.out.Heads = l.out.Heads[:at]
	for i := range l.out.Rows {
		l.out.Rows[i] = l.out.Rows[i][:at]
	}
}

func (l *layout) diff() {
	l.heads("Changes per host", cells.Head{Text: titles.Delta}, cells.Head{Text: titles.Before}, cells.Head{Text: titles.After},
		cells.Head{Text: titles.Median}, cells.Head{Text: titles.P95},
		cells.Head{Text: titles.Share}, cells.Head{Text: titles.Status, Kind: cells.Word},
		cells.Head{Text: titles.Service, Kind: cells.Symbol},
		cells.Head{Text: l.thing(), Kind: cells.Name}, cells.Head{Text: titles.Stack, Kind: cells.Word})
	l.out.Spare = []string{titles.Stack, titles.Status, titles.Median}
	for i := range l.r.Changes {
		x := &l.r.Changes[i]
		l.row(7, l.s.Change(int64(x.Change)), l.s.Bytes(uint64(x.BeforeMean)), l.s.Bytes(uint64(x.AfterMean)),
			l.s.Bytes(x.AfterMedian), l.s.Bytes(x.AfterP95), l.share(x.AfterHosts, x.AfterAll), x.Status(),
			model.Clean(x.Service), place(x.Place), key(x.Stack))
	}
	l.unkeyed()
}

func (l *layout) outliers() {
	title := "Hosts far from the others"
	if l.r.Every {
		title = "Hosts, those far from the others first"
	}
	l.heads(title, cells.Head{Text: titles.Score}, cells.Head{Text: titles.Bytes}, cells.Head{Text: titles.Median},
		cells.Head{Text: titles.Service, Kind: cells.Symbol}, cells.Head{Text: titles.Host, Kind: cells.Name})
	for _, x := range l.r.Hosts {
		l.row(3, fmt.Sprintf("%+.1f", x.Score), l.s.Bytes(x.Value), l.s.Bytes(x.Median), model.Clean(x.Service), model.Clean(x.Host))
	}
}

// summary returns the cells of a distribution.
func (l *layout) summary(x *fleet.Summary) []string {
	return []string{l.s.Bytes(x.Total), l.s.Bytes(x.Median), l.s.Bytes(x.P95), l.s.Bytes(x.Most), l.s.Count(x.Hosts),
		l.share(x.Hosts, x.All)}
}

// distribution returns the columns of a distribution, and others.
func distribution(more ...cells.Head) []cells.Head {
	return append([]cells.Head{{Text: titles.Sum}, {Text: titles.Median}, {Text: titles.P95}, {Text: titles.Max},
		{Text: titles.Hosts}, {Text: titles.Share}}, more...)
}

func (l *layout) trend() {
	l.heads("Versions", distribution(cells.Head{Text: titles.First, Kind: cells.Word}, cells.Head{Text: titles.Service,
		Kind: cells.Symbol},
		cells.Head{Text: titles.Release, Kind: cells.Name})...)
	for _, x := range l.r.Versions {
		l.row(7, append(l.summary(&x.Summary), Started(x.First), model.Clean(x.Service),
			model.Clean(x.Version))...)
	}
}

func (l *layout) spread() {
	title := "Services"
	if l.r.Site != "" {
		title += " that share it"
	}
	l.heads(title, distribution(cells.Head{Text: titles.Service, Kind: cells.Name})...)
	for _, x := range l.r.Services {
		l.row(6, append(l.summary(&x.Summary), model.Clean(x.Service))...)
	}
}

// Check is the verdict on a release.
type Check struct {
	Schema string  `json:"schema"`
	OK     bool    `json:"ok"`
	Checks []Limit `json:"checks"`
}

// Limit is one service of a release: the median of its hosts, and what it must not exceed.
type Limit struct {
	Name    string       `json:"name"` // the flag without dashes
	Asked   string       `json:"asked"`
	Figure  fleet.Figure `json:"figure"`
	Service string       `json:"service"`
	Before  string       `json:"before"`
	After   string       `json:"after"`
	Base    uint64       `json:"base"`
	Value   uint64       `json:"value"`
	Limit   uint64       `json:"limit"`
	OK      bool         `json:"ok"`
	Reason  string       `json:"reason"`
}

// NewCheck returns the verdict on limits.
func NewCheck(list []Limit) *Check {
	c := &Check{Schema: "memtui.fleet-check/1", OK: true, Checks: list}
	for i := range list {
		x := &list[i]
		x.OK = x.Value <= x.Limit
		x.Reason = x.reason(cells.Style{})
		c.OK = c.OK && x.OK
	}
	return c
}

func (x *Limit) reason(s cells.Style) string {
	word := " is within "
	if !x.OK {
		word = " exceeds "
	}
	s.Exact = s.Exact || s.Bytes(x.Value) == s.Bytes(x.Limit)
	return model.Clean(x.Service) + ": the median host's " + string(x.Figure) + " of " + model.Clean(x.After) + ", " +
		s.Bytes(x.Value) + "," + word + s.Bytes(x.Limit) +
		" (" + x.Asked + " of " + s.Bytes(x.Base) + " in " + model.Clean(x.Before) + ")"
}

// Write writes the verdict in a format.
func (c *Check) Write(w io.Writer, format string, s cells.Style) error {
	switch format {
	case "json":
		return report.WriteJSON(w, c)
	case "csv":
		return object.WriteRows(w, c.Checks, nil, object.Estimates{})
	}
	m := report.NewMarkdownWriter(w, report.Header{}, s)
	for i := range c.Checks {
		x := &c.Checks[i]
		word := map[bool]string{true: "ok", false: "FAIL"}[x.OK]
		if format == "markdown" {
			m.Printf("- %s %s\n", word, cells.Prose(s.Text(x.reason(s))))
		} else {
			m.Printf(" %s--max-regression  %s\n", cells.Pad(word, 6, false), s.Text(x.reason(s)))
		}
	}
	return m.Flush()
}
