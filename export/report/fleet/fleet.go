// Package fleet writes the answers to questions about a fleet of recordings.
package fleet

import (
	"fmt"
	"io"
	"strconv"

	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/object"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// Report is the answer to a question, with the question. Its rows are those of the question's kind.
type Report struct {
	Schema   string             `json:"schema"`
	Question string             `json:"question"`
	Figure   fleet.Figure       `json:"figure"`
	Service  string             `json:"service,omitzero"`
	Version  string             `json:"version,omitzero"`
	Host     string             `json:"host,omitzero"`
	Labels   []string           `json:"labels,omitzero"`
	Before   string             `json:"before,omitzero"`
	After    string             `json:"after,omitzero"`
	Site     string             `json:"site,omitzero"`
	Frames   []string           `json:"frames,omitzero"` // of the stack in question, leaf first
	Sites    []fleet.TopRow     `json:"sites,omitzero"`
	Changes  []fleet.DiffRow    `json:"changes,omitzero"`
	Hosts    []fleet.OutlierRow `json:"outliers,omitzero"`
	Versions []fleet.TrendRow   `json:"versions,omitzero"`
	Services []fleet.SpreadRow  `json:"services,omitzero"`

	Recordings []fleet.RecordingRow `json:"recordings,omitzero"`
}

const schema = "memtui.fleet/1"

// New returns the report of an answer.
func New(q *fleet.Question, a *fleet.Answer, frames []string) *Report {
	return &Report{
		Schema: schema, Question: q.Kind.String(), Figure: q.Figure, Service: q.Service, Version: q.Version, Host: q.Host,
		Labels: q.Labels, Before: q.Before,
		After: q.After, Site: q.Site, Frames: frames, Sites: a.Top,
		Changes: a.Diff, Hosts: a.Outliers, Versions: a.Trend, Services: a.Spread, Recordings: a.Recordings,
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
	}
	return r.Sites
}

// Write writes the report in a format: text, json, markdown or csv.
func (r *Report) Write(w io.Writer, format string, s cells.Style) error {
	switch format {
	case "json":
		return report.WriteJSON(w, r)
	case "csv":
		return object.WriteRows(w, r.rows(), nil, false)
	case "markdown":
		m := report.NewMarkdownWriter(w, report.Header{}, s)
		m.Table(r.layout(s))
		for _, f := range r.frames() {
			m.Printf("%s\n", "- "+cells.Code(f))
		}
		return m.Flush()
	}
	t := report.NewTextWriter(w, report.Header{}, s)
	t.Table(r.layout(s))
	if frames := r.frames(); len(frames) > 0 {
		t.Line()
		for _, f := range frames {
			t.Line("  ", cells.Fit(f, s.LineWidth()-2, s.Cut()))
		}
	}
	return t.Flush()
}

// frames returns the frames of the stack as text.
func (r *Report) frames() (list []string) {
	for _, f := range r.Frames {
		function, file := fleet.Frame(f)
		if file != "" {
			function += "  " + file
		}
		list = append(list, model.Clean(function))
	}
	return list
}

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
	for _, x := range []struct{ word, value string }{{"service", r.Service}, {"version", r.Version}, {"host", r.Host}, {"site", r.Site}} {
		if x.value != "" {
			text += " · " + x.word + " " + model.Clean(x.value)
		}
	}
	for _, l := range r.Labels {
		text += " · " + model.Clean(l)
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

func place(p fleet.Place) string {
	if p.File != "" {
		return model.Clean(p.Function + " (" + p.File + ")")
	}
	return model.Clean(p.Function)
}

func (l *layout) top() {
	l.heads("Sites of the fleet", cells.Head{Text: titles.Sum}, cells.Head{Text: titles.Median}, cells.Head{Text: titles.P95},
		cells.Head{Text: titles.Hosts},
		cells.Head{Text: titles.Share}, cells.Head{Text: titles.Service, Kind: cells.Symbol},
		cells.Head{Text: titles.Site, Kind: cells.Name}, cells.Head{Text: titles.Stack, Kind: cells.Word})
	l.out.Spare = []string{titles.P95, titles.Hosts}
	for _, x := range l.r.Sites {
		l.row(5, l.s.Bytes(x.Total), l.s.Bytes(x.Median), l.s.Bytes(x.P95), l.s.Count(x.Hosts), l.share(x.Hosts, x.All),
			model.Clean(x.Service), place(x.Place),
			x.Stack.String())
	}
}

func (l *layout) diff() {
	l.heads("Changes per host", cells.Head{Text: titles.Delta}, cells.Head{Text: titles.Before}, cells.Head{Text: titles.After},
		cells.Head{Text: titles.P95},
		cells.Head{Text: titles.Share}, cells.Head{Text: titles.Status, Kind: cells.Word},
		cells.Head{Text: titles.Service, Kind: cells.Symbol},
		cells.Head{Text: titles.Site, Kind: cells.Name}, cells.Head{Text: titles.Stack, Kind: cells.Word})
	l.out.Spare = []string{titles.P95, titles.Before}
	for _, x := range l.r.Changes {
		l.row(6, l.s.Change(int64(x.Change)), l.s.Bytes(x.BeforeMedian), l.s.Bytes(x.AfterMedian), l.s.Bytes(x.AfterP95),
			l.share(x.AfterHosts, x.AfterAll), x.Status(),
			model.Clean(x.Service), place(x.Place), x.Stack.String())
	}
}

func (l *layout) outliers() {
	l.heads("Hosts far from the others", cells.Head{Text: titles.Score}, cells.Head{Text: titles.Bytes}, cells.Head{Text: titles.Median},
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
	l.heads("Services that share it", distribution(cells.Head{Text: titles.Service, Kind: cells.Name})...)
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
		return object.WriteRows(w, c.Checks, nil, false)
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

// SQL is the object of a question as SQL.
type SQL struct {
	Schema  string `json:"schema"`
	Dialect string `json:"dialect"`
	SQL     string `json:"sql"`
}

// NewSQL returns the object of a question.
func NewSQL(dialect, text string) *SQL { return &SQL{"memtui.fleet-sql/1", dialect, text} }

// Added is what was added to a fleet.
type Added struct {
	Schema string      `json:"schema"`
	Files  []AddedFile `json:"files"`
}

// NewAdded returns an object without files.
func NewAdded() *Added { return &Added{Schema: "memtui.fleet-add/1", Files: []AddedFile{}} }

// AddedFile is a file, and what became of it.
type AddedFile struct {
	File   string `json:"file"`
	ID     string `json:"id,omitzero"`
	Result string `json:"result"` // "added", "known", "failed"
	Rows   int    `json:"rows"`
	Reason string `json:"reason,omitzero"` // of what failed
}

// Line returns the file as a line of text.
func (f *AddedFile) Line() string {
	text := cells.Pad(f.Result, 8, false) + model.Clean(f.File)
	switch f.Result {
	case "added":
		text += "  " + model.Group(uint64(f.Rows)) + " rows"
	case "failed":
		text += ": " + model.Clean(f.Reason)
	}
	return text
}

// Merged is what compacting did.
type Merged struct {
	Schema string `json:"schema"`
	Before int    `json:"files_before"`
	After  int    `json:"files_after"`
	Old    int64  `json:"bytes_before"`
	New    int64  `json:"bytes_after"`
}

// NewMerged returns the object about files and their bytes.
func NewMerged(before, after int, from, to int64) *Merged {
	return &Merged{"memtui.fleet-compact/1", before, after, from, to}
}

// Line returns it as a line of text.
func (m *Merged) Line(s cells.Style) string {
	return strconv.Itoa(m.Before) + " files, " + s.Bytes(uint64(m.Old)) + " → " + strconv.Itoa(m.After) + " files, " +
		s.Bytes(uint64(m.New))
}
