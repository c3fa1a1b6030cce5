package fleet

import (
	"cmp"
	"hash/fnv"
	"math"
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// row is a row of any screen. Only the fields of its kind are set.
type row struct {
	id                     uint64
	service, version, host string
	key                    fleet.Key
	place                  fleet.Place
	label                  string // the place as it is shown, with the beginning of the key where another row has its name
	sum                    fleet.Summary
	count                  uint64 // of objects or pages

	change                 float64 // of a comparison, per host
	beforeMean, afterMean  float64
	before, after          string
	status                 string
	value, median          uint64
	score                  float64
	first, start, duration int64
	complete               bool
	format, uri            string
	recording              fleet.Key
}

// question returns how a question names the site of the row.
func (r *row) question() string {
	if r.key != 0 {
		return r.key.String()
	}
	return r.place.String()
}

// release returns the version as it is shown.
func (r *row) release() string { return cmp.Or(r.version, "no version") }

// ofVersion returns the service with its version, if it has one.
func (r *row) ofVersion() string { return strings.TrimSpace(r.service + " " + r.version) }

// name returns the site as it is shown: without the arguments of templates.
func (r *row) name() string { return shown(r.place) }

// shown returns a site without the arguments of templates.
func shown(p fleet.Place) string {
	p.Function = funcname.ShortenTemplates(p.Function)
	return p.String()
}

// answered is the answer to a view. Read-only once made.
type answered struct {
	of       view
	question fleet.Question
	answer   *fleet.Answer
	rows     []row
	notes    []string // what the figures are of, in sentences
	warnings []string
	most     uint64 // the largest median or sum, for bars
}

// rowsOf returns the rows of an answer.
func rowsOf(q *fleet.Question, a *fleet.Answer) (rows []row) {
	switch q.Kind {
	case fleet.Top:
		for _, x := range a.Top {
			rows = append(rows, row{service: x.Service, key: x.Stack, place: x.Place, sum: x.Summary, count: x.Count})
		}
	case fleet.Diff:
		for i := range a.Diff {
			x := &a.Diff[i]
			rows = append(rows, row{service: x.Service, key: x.Stack, place: x.Place, change: x.Change, beforeMean: x.BeforeMean,
				afterMean: x.AfterMean, before: q.Before, after: q.After, status: x.Status(),
				sum: fleet.Summary{Median: x.AfterMedian, P95: x.AfterP95, Hosts: x.AfterHosts, All: x.AfterAll}})
		}
	case fleet.Outliers:
		for _, x := range a.Outliers {
			rows = append(rows, row{service: x.Service, host: x.Host, value: x.Value, median: x.Median, score: x.Score})
		}
	case fleet.Trend:
		for _, x := range a.Trend {
			rows = append(rows, row{service: x.Service, version: x.Version, first: x.First, sum: x.Summary})
		}
	case fleet.Spread:
		for _, x := range a.Spread {
			rows = append(rows, row{service: x.Service, sum: x.Summary})
		}
	case fleet.Recordings:
		for _, x := range a.Recordings {
			rows = append(rows, row{service: x.Service, version: x.Version, host: x.Host, value: x.Value, start: x.Start,
				duration: x.Duration, complete: x.Complete, format: x.Format, uri: x.URI, recording: x.ID})
		}
	case fleet.Curve:
		for _, x := range a.Curve {
			rows = append(rows, row{service: x.Service, version: x.Version, first: x.First, duration: x.Until, sum: x.Summary})
		}
	case fleet.Shared:
		for _, x := range a.Shared {
			rows = append(rows, row{service: strings.Join(x.Services, ", "), key: x.Stack, place: x.Place, sum: x.Summary})
		}
	}
	names := map[[2]string]int{}
	for i := range rows {
		r := &rows[i]
		r.id, r.label = r.identity(), r.name()
		names[[2]string{r.service, r.label}]++
	}
	for i := range rows {
		r := &rows[i]
		if names[[2]string{r.service, r.label}] > 1 && r.key != 0 { // several stacks of one owner
			r.label += " #" + r.key.String()[:shortKey]
		}
	}
	return rows
}

// shortKey is the number of digits of a key by which stacks of one name differ.
const shortKey = 4

// identity returns a number that a row keeps when it is queried for again.
func (r *row) identity() uint64 {
	h := fnv.New64a()
	for _, text := range []string{r.service, r.version, r.host, r.place.String(), r.key.String(), r.recording.String()} {
		h.Write([]byte(text))
		h.Write([]byte{0})
	}
	return h.Sum64()
}

// column is a column of rows.
type column = ui.Column[row]

// figure returns a column of bytes.
func figure(title, key string, of func(r *row) uint64, more ...func(*column)) column {
	c := column{Title: title, Key: key, Fields: fieldsOf(title, key), Figure: ui.BytesFigure, Width: 6, Wider: 2, Value: of}
	for _, f := range more {
		f(&c)
	}
	return c
}

// fieldsOf returns the names of a column in filters: its title, as far as that can be typed, and its name in reports.
func fieldsOf(title, key string) []string {
	name := strings.ToLower(title)
	isTyped := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' }
	if name == key || strings.TrimFunc(name, isTyped) != "" {
		return []string{key}
	}
	return []string{name, key}
}

// drops makes a column leave where there is no room; larger numbers leave earlier.
func drops(n int) func(*column) { return func(c *column) { c.Drop = n } }

// text returns a column of names.
func text(title, key string, width, grow int, of func(r *row) string, more ...func(*column)) column {
	c := column{Title: title, Key: key, Fields: fieldsOf(title, key), Width: width, Grow: grow, Cut: widget.CutMiddle, Text: of}
	for _, f := range more {
		f(&c)
	}
	return c
}

// columns returns the columns of a screen.
func (a *app) columns(d *answered) []column {
	switch d.of.kind {
	case fleet.Diff:
		return a.diffColumns(d)
	case fleet.Outliers:
		return a.hostColumns(d)
	case fleet.Trend, fleet.Spread:
		return a.summaryColumns(d)
	case fleet.Recordings:
		return a.recordingColumns(d)
	}
	return a.topColumns(d)
}

// serviceColumn returns the column of services, which is hidden where all rows are of one.
func serviceColumn(d *answered) column {
	return text(titles.Service, "service", d.width(func(r *row) string { return r.service }), 0,
		func(r *row) string { return r.service }, func(c *column) { c.Hidden = d.of.service != "" })
}

// width returns the cells of a column of short names: what the longest one takes, within limits.
func (d *answered) width(of func(r *row) string) int {
	const least, most = 7, 18
	width := least
	for i := range d.rows {
		if width = max(width, widget.Width(of(&d.rows[i]))); width >= most {
			return most
		}
	}
	return width
}

// leastName is the width that names of sites have at least: figures give way.
const leastName = 34

// placeColumns returns the columns that name a site.
func placeColumns(d *answered) []column {
	title := titles.Site
	switch {
	case d.of.what == fleet.Owners:
		title = titles.Owner
	case !d.of.what.Stacks():
		title = titles.Type
	}
	return []column{
		text(title, "function", leastName, 4, func(r *row) string { return r.label }, func(c *column) { c.Cut = widget.CutScope }),
		text(titles.Stack, "stack", 16, 0, func(r *row) string { return r.key.String() }, drops(5),
			func(c *column) { c.Muted, c.Hidden = true, !d.of.what.Stacks() }),
	}
}

// hostsColumns returns the columns that say how many hosts have it.
func hostsColumns() []column {
	return []column{
		{Title: titles.Hosts, Key: "host_count", Fields: fieldsOf(titles.Hosts, "host_count"), Figure: ui.CountFigure, Width: 5,
			Value: func(r *row) uint64 { return r.sum.Hosts }},
		{Title: titles.Share, Key: "share", Fields: fieldsOf(titles.Share, "share"), Figure: ui.ShareFigure, Drop: 2,
			Share: func(r *row) float64 { return ui.ShareOf(r.sum.Hosts, r.sum.All) }},
	}
}

func total(r *row) uint64  { return r.sum.Total }
func median(r *row) uint64 { return r.sum.Median }
func p95(r *row) uint64    { return r.sum.P95 }
func most(r *row) uint64   { return r.sum.Most }

func (a *app) topColumns(d *answered) []column {
	list := []column{figure(titles.Sum, "total_bytes", total)}
	if d.of.what.HasCounts() {
		list = append(list, column{Title: titles.Count, Key: "count_sum", Fields: fieldsOf(titles.Count, "count_sum"),
			Figure: ui.CountFigure, Width: 6, Drop: 4, Value: func(r *row) uint64 { return r.count }})
	}
	list = append(list, figure(titles.Median, "median_bytes", median), figure(titles.P95, "p95_bytes", p95, drops(3)))
	list = append(list, hostsColumns()...)
	return append(append(list, serviceColumn(d)), placeColumns(d)...)
}

func (a *app) diffColumns(d *answered) []column {
	list := []column{
		{Title: titles.Delta, Key: "change_per_host", Fields: []string{"change", "change_per_host"}, Width: 9, Right: true,
			Number: func(r *row) float64 { return r.change }, Cell: a.changeCell},
		figure(titles.Before, "before_mean_bytes", func(r *row) uint64 { return uint64(r.beforeMean) }, drops(3)),
		figure(titles.After, "after_mean_bytes", func(r *row) uint64 { return uint64(r.afterMean) }),
		figure(titles.Median, "after_median_bytes", median, drops(4)), figure(titles.P95, "after_p95_bytes", p95, drops(4)),
	}
	list = append(list, hostsColumns()...)
	list = append(list, text(titles.Status, "status", 6, 0, func(r *row) string { return r.status }, drops(2)), serviceColumn(d))
	return append(list, placeColumns(d)...)
}

// changeCell writes a change with its sign.
func (a *app) changeCell(r *row) widget.Cell {
	n, sign, style := uint64(math.Abs(r.change)), "+", a.Look.Sorted
	if r.change < 0 {
		sign, style = ui.Minus(a.Look), a.Look.Muted
	}
	if n == 0 {
		sign, style = "", a.Look.Muted
	}
	return widget.Cell{Text: sign + a.figures.Bytes(n), Style: style}
}

func (a *app) hostColumns(d *answered) []column {
	return []column{
		{Title: titles.Score, Key: "robust_z", Fields: []string{"z", "robust_z"}, Width: 8, Right: true,
			Number: func(r *row) float64 { return r.score }, Rank: func(r *row) uint64 { return uint64(math.Abs(r.score) * 1000) },
			Cell: func(r *row) widget.Cell { return widget.Cell{Text: scoreText(r.score), Style: a.scoreStyle(r)} }},
		figure(titles.Bytes, "bytes", func(r *row) uint64 { return r.value }),
		figure(titles.Median, "median_bytes", func(r *row) uint64 { return r.median }),
		serviceColumn(d),
		text(titles.Host, "host", 12, 3, func(r *row) string { return r.host }),
	}
}

// scoreStyle returns the style of a score, which outliers stand out by.
func (a *app) scoreStyle(r *row) tcell.Style {
	if math.Abs(r.score) < fleet.LeastScore {
		return a.Look.Muted
	}
	return a.Look.Sorted
}

// summaryColumns returns the columns of versions and of services. The bar is of medians.
func (a *app) summaryColumns(d *answered) []column {
	list := []column{figure(titles.Sum, "total_bytes", total), figure(titles.Median, "median_bytes", median),
		{Title: "", Like: titles.Median, Width: 12, Grow: 1, MaxWidth: 40, Drop: 6, Cell: func(r *row) widget.Cell {
			return widget.Cell{Kind: widget.BarCell, Bar: ui.ShareOf(r.sum.Median, d.most)}
		}},
		figure(titles.P95, "p95_bytes", p95, drops(4)), figure(titles.Max, "max_bytes", most, drops(3))}
	list = append(list, hostsColumns()...)
	if d.of.kind == fleet.Spread {
		return append(list, text(titles.Service, "service", 12, 3, func(r *row) string { return r.service }))
	}
	return append(list,
		column{Title: titles.First, Key: "first_us", Fields: fieldsOf(titles.First, "first_us"), Width: 16, Drop: 2,
			Rank: func(r *row) uint64 { return uint64(max(r.first, 0)) },
			Text: func(r *row) string { return started(r.first) }},
		serviceColumn(d), text(titles.Release, "version", 10, 2, (*row).release))
}

func (a *app) recordingColumns(d *answered) []column {
	return []column{
		figure(titles.Bytes, "bytes", func(r *row) uint64 { return r.value }),
		{Title: titles.Start, Key: "start_us", Fields: fieldsOf(titles.Start, "start_us"), Width: 16, Drop: 1,
			Rank: func(r *row) uint64 { return uint64(max(r.start, 0)) },
			Text: func(r *row) string { return started(r.start) }},
		{Title: titles.Length, Key: "duration_us", Fields: fieldsOf(titles.Length, "duration"), Width: 8, Drop: 4, Figure: ui.TimeFigure,
			Value: func(r *row) uint64 { return uint64(max(r.duration, 0)) }},
		text(titles.Status, "complete", 6, 0, func(r *row) string { return status(r) }, drops(5)),
		serviceColumn(d),
		text(titles.Release, "version", d.width(func(r *row) string { return r.version }), 0, func(r *row) string { return r.version },
			func(c *column) { c.Hidden = d.of.version != "" }),
		text(titles.Host, "host", d.width(func(r *row) string { return r.host }), 0, func(r *row) string { return r.host },
			func(c *column) { c.Hidden = d.of.host != "" }),
		text(titles.File, "uri", 16, 3, func(r *row) string { return cmp.Or(r.uri, "(not kept)") },
			func(c *column) { c.Cut, c.Muted = widget.CutFolder, true }),
	}
}

// status says what is special about a recording.
func status(r *row) string {
	if r.complete {
		return ""
	}
	return "cut"
}

// started returns a time in UTC.
func started(us int64) string { return time.UnixMicro(us).UTC().Format("2006-01-02 15:04") }

// length returns a duration in words.
func length(us int64) string { return model.Time(us).String() }
