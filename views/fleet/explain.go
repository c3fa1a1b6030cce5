package fleet

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// aboutKey is a row that is explained.
type aboutKey struct {
	of *answered
	n  int
}

// about is what has to be asked to explain a row. Read-only once made.
type about struct {
	stack    *fleet.Stack
	versions []row
	services []row  // that share a site, where they are several
	heading  string // of sites
	sites    []row
	changes  bool // sites are changes
	curve    []row
	shared   []row  // sites that other services have, too
	has, cut uint64 // recordings of the service that have it, and those of them that end early
}

// calm is how long a row must stay selected before questions about it are requested: they may take seconds of a server.
const calm = 120 * time.Millisecond

// mostListed is the most versions, or sites, that an explanation lists.
const mostListed = 12

// explain asks for what explains a row. Any goroutine may call it.
func (a *app) explain(ctx context.Context, k aboutKey) (*about, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(calm):
	}
	r, out := &k.of.rows[k.n], &about{}
	q := k.of.question
	q.Service, q.Limit = r.service, mostListed
	var err error
	switch q.Kind {
	case fleet.Top, fleet.Diff:
		if r.key != 0 {
			if out.stack, err = a.o.Fleet.Stack(ctx, r.key); err != nil {
				return nil, err
			}
		}
		if q.What == fleet.Owners {
			of := q
			of.What, of.Site = fleet.Sites, r.question()
			out.heading, out.changes = "Its sites", q.Kind == fleet.Diff
			if out.sites, err = a.rowsFor(ctx, &of); err != nil {
				return nil, err
			}
		}
		q.Site = r.question()
		if q.Kind == fleet.Top && k.of.answer.Basis.Incomplete > 0 {
			if err = a.countCut(ctx, out, q); err != nil {
				return nil, err
			}
		}
		q.Kind, q.Version, q.All, q.Before, q.After = fleet.Trend, "", false, "", ""
		if out.versions, err = a.rowsFor(ctx, &q); err != nil {
			return nil, err
		}
		q.Kind, q.Service = fleet.Spread, ""
		out.services, err = a.rowsFor(ctx, &q)
		return out, err
	case fleet.Outliers:
		q.Kind, q.Host, q.Site = fleet.Top, r.host, ""
		out.heading = "What this host has most of"
	case fleet.Trend:
		if q.What.HasSites() && q.Site == "" {
			of := q
			of.Kind, of.What, of.Figure, of.Version, of.Limit = fleet.Curve, fleet.Sites, fleet.Live, r.version, 0
			if out.curve, err = a.rowsFor(ctx, &of); err != nil {
				return nil, err
			}
		}
		before := k.of.previous(k.n)
		if before == nil || q.Site != "" {
			return out, nil
		}
		q.Kind, q.Before, q.After, out.changes = fleet.Diff, before.version, r.version, true
		out.heading = "What changed most since " + model.Clean(before.release()) + ", per host"
	case fleet.Spread:
		if q.Site != "" {
			return out, nil
		}
		if out.shared, err = a.sharedWith(ctx, q); err != nil {
			return nil, err
		}
		q.Kind, out.heading = fleet.Top, "What this service has most of"
	case fleet.Recordings:
		q.Kind, q.IDs, q.Site = fleet.Top, []string{r.recording.String()}, ""
		out.heading = "What this recording has most of"
	}
	out.sites, err = a.rowsFor(ctx, &q)
	return out, err
}

// countCut counts the recordings that have the site of a question, and those of them that end early.
func (a *app) countCut(ctx context.Context, out *about, q fleet.Question) error {
	q.Kind, q.Limit = fleet.Recordings, 0
	list, err := a.rowsFor(ctx, &q)
	for i := range list {
		if list[i].value > 0 {
			out.has++
			if !list[i].complete {
				out.cut++
			}
		}
	}
	return err
}

// sharedWith returns what the service that a question is about has in common with others, the first ones.
func (a *app) sharedWith(ctx context.Context, q fleet.Question) (list []row, err error) {
	service := q.Service
	q.Kind, q.Service, q.Limit = fleet.Shared, "", 0
	answer, err := a.o.Fleet.Ask(ctx, &q)
	if err != nil {
		return nil, err
	}
	answer.Shared = slices.DeleteFunc(answer.Shared, func(x fleet.SharedRow) bool { return !slices.Contains(x.Services, service) })
	list = rowsOf(&q, answer)
	return list[:min(len(list), mostListed)], nil
}

// rowsFor asks a question.
func (a *app) rowsFor(ctx context.Context, q *fleet.Question) ([]row, error) {
	answer, err := a.o.Fleet.Ask(ctx, q)
	if err != nil {
		return nil, err
	}
	return rowsOf(q, answer), nil
}

// previous returns the version before one of the same service, nil if there is none. Versions are in the order of their
// first recordings.
func (d *answered) previous(n int) *row {
	if n > 0 && d.rows[n-1].service == d.rows[n].service {
		return &d.rows[n-1]
	}
	return nil
}

// sentences says what the figures of a row mean.
func (d *answered) sentences(n int, bytes func(uint64) string) []string {
	r, is := &d.rows[n], figureName(d.of.shownFigure())
	hosts := func(s *fleet.Summary) string {
		return model.Group(s.Hosts) + " of " + model.Counted(s.All, "host") + " (" + ui.PartText(s.Hosts, s.All) + ")"
	}
	switch d.of.kind {
	case fleet.Diff:
		return d.changed(r, hosts, bytes)
	case fleet.Outliers:
		word, far := "more", r.value-r.median
		if r.score < 0 {
			word, far = "less", r.median-r.value
		}
		if far == 0 {
			return []string{fmt.Sprintf("%s has %s %s, as the median host of %s.", model.Clean(r.host), bytes(r.value), is,
				model.Clean(r.service))}
		}
		verdict := map[bool]string{true: "an outlier", false: "no outlier"}[math.Abs(r.score) >= fleet.LeastScore]
		return []string{fmt.Sprintf("%s has %s %s, %s %s than the median host of %s (%s). Its robust z is %s: %s, as these have %g or more.",
			model.Clean(r.host), bytes(r.value), is, bytes(far), word, model.Clean(r.service), bytes(r.median), scoreText(r.score), verdict,
			fleet.LeastScore)}
	case fleet.Trend:
		return d.developed(n, hosts, bytes)
	case fleet.Recordings:
		return []string{bytes(r.value) + " are " + is + d.of.ofSite() + "."}
	}
	name := r.name()
	if d.of.kind == fleet.Spread {
		name = cmp.Or(d.of.siteName, "any")
	}
	if r.sum.Hosts == 0 {
		return []string{"No host of " + model.Clean(r.service) + " has " + model.Clean(name) + "."}
	}
	if r.sum.Hosts == 1 {
		return []string{fmt.Sprintf("%s%s: %s, on %s of %s only.", strings.ToUpper(is[:1]), is[1:], bytes(r.sum.Total), hosts(&r.sum),
			model.Clean(r.service))}
	}
	return []string{fmt.Sprintf("%s%s: %s in all, on %s of %s. Of these the median host has %s, %s.",
		strings.ToUpper(is[:1]), is[1:], bytes(r.sum.Total), hosts(&r.sum), model.Clean(r.service), bytes(r.sum.Median),
		upper(&r.sum, bytes))}
}

// upper says how much the hosts with the most have: one in twenty, where there are as many.
func upper(s *fleet.Summary, bytes func(uint64) string) string {
	if s.Hosts < 20 {
		return "the one with the most " + bytes(s.Most)
	}
	return "one in twenty " + bytes(s.P95) + " or more"
}

// changed says what a version changed at a site.
func (d *answered) changed(r *row, hosts func(*fleet.Summary) string, bytes func(uint64) string) []string {
	before, after := model.Clean(r.before), model.Clean(r.after)
	switch r.status {
	case "new":
		return []string{fmt.Sprintf("New in %s: %s have it, %s each on average over all hosts.", after, hosts(&r.sum),
			bytes(uint64(r.afterMean)))}
	case "gone":
		return []string{fmt.Sprintf("Gone since %s: no host of %s has it. Before, hosts had %s each on average.", before, after,
			bytes(uint64(r.beforeMean)))}
	}
	word := "more"
	if r.change < 0 {
		word = "less"
	}
	return []string{fmt.Sprintf("A host has %s %s in %s than in %s, on average over all hosts: %s instead of %s. %s have it.",
		bytes(uint64(math.Abs(r.change))), word, after, before, bytes(uint64(r.afterMean)), bytes(uint64(r.beforeMean)), hosts(&r.sum))}
}

// developed says how a version differs from the one before.
func (d *answered) developed(n int, hosts func(*fleet.Summary) string, bytes func(uint64) string) []string {
	r, was := &d.rows[n], d.previous(n)
	text := fmt.Sprintf("%s of %s: the median of the hosts that have it has %s %s%s, %s.", hosts(&r.sum),
		model.Clean(r.ofVersion()), bytes(r.sum.Median), figureName(d.of.shownFigure()), d.of.ofSite(),
		upper(&r.sum, bytes))
	if r.sum.Hosts == 0 {
		text = "No host of " + model.Clean(r.ofVersion()) + " has it."
	}
	if was == nil {
		return []string{text}
	}
	return []string{text, "In " + model.Clean(was.release()) + ", the version before, the median was " + bytes(was.sum.Median) + "."}
}

// ofSite returns " at SITE" where a site was chosen.
func (v *view) ofSite() string {
	if v.siteName == "" {
		return ""
	}
	return " at " + v.siteName
}

// facts returns the facts of a recording.
func (r *row) facts() [][2]string {
	if r.recording == 0 {
		return nil
	}
	file := cmp.Or(r.uri, "its place was not kept when it was added")
	whole := "complete"
	if !r.complete {
		whole = "cut: it ends before the program did"
	}
	return [][2]string{{"File", file}, {"Began", started(r.start) + " UTC"}, {"Took", length(r.duration)}, {"Format", r.format},
		{"Read", whole}, {"Id", r.recording.String()}}
}

// detail fills the pane that explains the selected row.
func (a *app) detail(p *page) {
	d := p.table.Now()
	n, ok := p.selected()
	if !ok {
		p.Detail.SetText(0, "", "", nil)
		return
	}
	r, k := &d.Of.rows[n], a.Look
	p.about.Ask(aboutKey{d.Of, n})
	var lines []widget.Line
	for _, s := range d.Of.sentences(n, a.figures.Bytes) {
		lines = append(lines, widget.Plain(s))
	}
	for _, f := range r.facts() {
		lines = append(lines, labeled(f[0], f[1], k))
	}
	lines = append(lines, a.found(p, d.Of.of.shownFigure())...)
	p.Detail.SetText(r.id, a.titleOf(r, d.Of), "", lines)
}

// titleOf names a row.
func (a *app) titleOf(r *row, d *answered) string {
	switch d.of.kind {
	case fleet.Outliers:
		return r.host + " (" + r.service + ")"
	case fleet.Trend:
		return r.ofVersion()
	case fleet.Spread:
		return r.service
	case fleet.Recordings:
		return r.ofVersion() + " on " + r.host
	}
	return r.label
}

// labeled returns a line with a label.
func labeled(label, value string, k *widget.Look) widget.Line {
	const width = 8
	return widget.Line{Indent: width, Spans: []widget.Span{{Text: fmt.Sprintf("%-*s", width, label), Style: k.Muted},
		{Text: model.Clean(value)}}}
}

// found returns what was requested about the row, or how far that is.
func (a *app) found(p *page, figure fleet.Figure) (lines []widget.Line) {
	k := a.Look
	heading := func(text string) {
		lines = append(lines, widget.Line{}, widget.Line{Spans: []widget.Span{{Text: text, Style: k.Title}}})
	}
	x, ok := p.about.Get()
	switch {
	case p.about.Failure() != nil:
		return []widget.Line{{}, widget.Plain("More about it is not known: " + model.Clean(p.about.Failure().Error()) + ".")}
	case !ok || !p.about.Fresh():
		return []widget.Line{{}, {Spans: []widget.Span{{Text: "asking for more " + k.Glyphs.Ellipsis, Style: k.Muted}}}}
	}
	if x.cut > 0 {
		lines = append(lines, widget.Plain(fmt.Sprintf("Cut: %s of the %s with it; %s.",
			model.Group(x.cut), model.Counted(x.has, "recording"), figure.Cut("they end"))))
	}
	if s := x.stack; s != nil {
		heading("Stack, the allocation first")
		for i, frame := range s.Frames {
			function, file := fleet.Frame(frame)
			if file == "" && i < len(s.Modules) {
				file = s.Modules[i]
			}
			spans := []widget.Span{{Text: model.Clean(funcname.ShortenTemplates(function))},
				{Text: "  " + model.Clean(file), Style: k.Muted}}
			if function == s.Function && file == s.File {
				spans[0].Style = k.Sorted
			}
			lines = append(lines, widget.Line{Spans: spans, Indent: 4})
		}
	}
	if len(x.versions) > 0 {
		heading("From version to version")
		lines = append(lines, a.summaryLines(x.versions, (*row).release)...)
	}
	if len(x.services) > 1 {
		heading("Services that share it")
		lines = append(lines, a.summaryLines(x.services, func(r *row) string { return r.service })...)
	}
	if len(x.sites) > 0 {
		heading(x.heading)
		for i := range x.sites {
			r := &x.sites[i]
			bytes := a.figures.Bytes(r.sum.Total)
			if x.changes {
				bytes = a.changeCell(r).Text
			}
			lines = append(lines, widget.Line{Indent: 12, Spans: []widget.Span{{Text: fmt.Sprintf("%10s  ", bytes), Style: k.Sorted},
				{Text: model.Clean(r.label)}}})
		}
	}
	if len(x.shared) > 0 {
		heading("What other services have, too: in all of them")
		for i := range x.shared {
			s := &x.shared[i]
			lines = append(lines, widget.Line{Indent: 12, Spans: []widget.Span{
				{Text: fmt.Sprintf("%10s  ", a.figures.Bytes(s.sum.Total)), Style: k.Sorted}, {Text: model.Clean(s.label)},
				{Text: "  " + model.Clean(s.service), Style: k.Muted}}})
		}
	}
	if len(x.curve) > 0 {
		heading("Live bytes while programs run, by the time since they began")
		lines = append(lines, a.summaryLines(x.curve, func(r *row) string { return length(r.duration) })...)
	}
	return lines
}

// summaryLines returns a line for every version or service of a site: its median as a bar, and on how many hosts.
func (a *app) summaryLines(list []row, nameOf func(*row) string) (lines []widget.Line) {
	top, width := uint64(0), 0
	for i := range list {
		top, width = max(top, list[i].sum.Median), max(width, widget.Width(model.Clean(nameOf(&list[i]))))
	}
	width = min(width, 24)
	block := "█"
	if a.Look.Glyphs.Plain {
		block = "="
	}
	for i := range list {
		r := &list[i]
		const cells = 16
		name := widget.Truncate(model.Clean(nameOf(r)), width)
		full := int(math.Round(ui.ShareOf(r.sum.Median, top) * cells))
		lines = append(lines, widget.Line{Indent: width + 2, Spans: []widget.Span{
			{Text: name + strings.Repeat(" ", width-widget.Width(name)+2)},
			{Text: strings.Repeat(block, full), Style: a.Look.Bar}, {Text: strings.Repeat(" ", cells-full+1)},
			{Text: fmt.Sprintf("%9s", a.figures.Bytes(r.sum.Median)), Style: a.Look.Sorted},
			{Text: "  " + model.Group(r.sum.Hosts) + " of " + model.Counted(r.sum.All, "host"), Style: a.Look.Muted},
		}})
	}
	return lines
}

// scoreText returns a robust z with its sign.
func scoreText(z float64) string {
	text := strconv.FormatFloat(z, 'f', 1, 64)
	if z > 0 {
		return "+" + text
	}
	return text
}
