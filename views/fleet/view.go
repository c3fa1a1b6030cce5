package fleet

import (
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/model"
)

// view is what is queried: a screen, and what all screens are restricted to.
type view struct {
	kind   fleet.Kind
	what   fleet.What
	figure fleet.Figure

	service, version, host string // "" for all
	labels                 string // "key=value", a line each
	site                   string // as [fleet.Question] takes it, "" for all
	siteName               string // as it is shown
	before, after          string // of a comparison, "" for the newest two
	all                    bool   // every version of a host counts
}

// screens returns the kinds of the screens, in the order of their numbers.
func screens() []fleet.Kind {
	return []fleet.Kind{fleet.Top, fleet.Diff, fleet.Outliers, fleet.Trend, fleet.Spread, fleet.Recordings}
}

// nameOf returns the name of a screen.
func nameOf(k fleet.Kind) string {
	return map[fleet.Kind]string{fleet.Top: "Sites", fleet.Diff: "Changes", fleet.Outliers: "Hosts", fleet.Trend: "Versions",
		fleet.Spread: "Services", fleet.Recordings: "Recordings"}[k]
}

// viewOf returns the view of a question.
func viewOf(q *fleet.Question) view {
	return view{kind: q.Kind, what: q.What, figure: q.Figure, service: q.Service, version: q.Version, host: q.Host,
		labels: strings.Join(q.Labels, "\n"), site: q.Site, siteName: q.Site, before: q.Before, after: q.After, all: q.All}
}

// mostRows is the most rows that are requested for.
const mostRows = 20_000

// question returns the question. What its kind cannot be restricted to is left out.
func (v *view) question() fleet.Question {
	q := fleet.Question{Kind: v.kind, What: v.what, Figure: v.figure, All: v.all, Limit: mostRows,
		Filter: fleet.Filter{Service: v.service, Version: v.version, Host: v.host}}
	if v.labels != "" {
		q.Labels = strings.Split(v.labels, "\n")
	}
	if only := q.What.Figure(); only != "" {
		q.Figure = only
	}
	switch v.kind {
	case fleet.Diff:
		q.Before, q.After = v.before, v.after
		q.Version, q.All = "", false
	case fleet.Trend:
		q.Version, q.All = "", false
	case fleet.Recordings:
		q.All = false
	case fleet.Outliers:
		q.Every = true
	case fleet.Spread:
		if v.site != "" { // the services that share it
			q.Service = ""
		}
	}
	q.Site = v.site
	return q
}

// figures returns the figures that can be chosen.
func (v *view) figures() []fleet.Figure {
	if only := v.what.Figure(); only != "" {
		return []fleet.Figure{only}
	}
	return fleet.Figures()
}

// shownFigure returns the figure of the rows.
func (v *view) shownFigure() fleet.Figure {
	if only := v.what.Figure(); only != "" {
		return only
	}
	return v.figure
}

// figureName returns in words what a figure is.
func figureName(f fleet.Figure) string {
	return map[fleet.Figure]string{fleet.Leaked: "never freed", fleet.Live: "live at the end", fleet.Peak: "at the peak",
		fleet.Alloc: "allocated"}[f]
}

// next returns the element after one of a list, round at the end.
func next[T comparable](list []T, of T) T { return list[(slices.Index(list, of)+1)%len(list)] }

// restriction is one thing that recordings, or rows, are restricted to.
type restriction struct {
	label, value string
	drop         func(v *view)
}

// restrictions returns what the view is restricted to, the widest first.
func (v *view) restrictions() (list []restriction) {
	add := func(label, value string, drop func(*view)) {
		if value != "" {
			list = append(list, restriction{label, value, drop})
		}
	}
	add("service", v.service, func(v *view) { v.service = "" })
	add("version", v.version, func(v *view) { v.version = "" })
	add("host", v.host, func(v *view) { v.host = "" })
	if v.labels != "" {
		for i, l := range strings.Split(v.labels, "\n") {
			add("label", l, func(v *view) {
				v.labels = strings.Join(slices.Delete(strings.Split(v.labels, "\n"), i, i+1), "\n")
			})
		}
	}
	if v.before+v.after != "" {
		add("versions", v.before+" → "+v.after, func(v *view) { v.before, v.after = "", "" })
	}
	if v.all {
		add("hosts count", "by every version", func(v *view) { v.all = false })
	}
	add("site", v.siteName, func(v *view) { v.site, v.siteName = "", "" })
	return list
}

// matters reports whether a restriction changes the rows of the view's screen.
func (v *view) matters(r *restriction) bool {
	switch r.label {
	case "service":
		return v.kind != fleet.Spread || v.site == ""
	case "version":
		return v.kind != fleet.Diff && v.kind != fleet.Trend
	case "versions":
		return v.kind == fleet.Diff
	case "hosts count":
		return v.kind == fleet.Top || v.kind == fleet.Outliers || v.kind == fleet.Spread
	}
	return true
}

// title says what is listed, in a few words.
func (v *view) title() string {
	what := map[fleet.What]string{fleet.Leaks: "leaks by their verdict", fleet.Types: "types of heap snapshots",
		fleet.Pages: "pages of memory dumps"}[v.what]
	switch {
	case v.what == fleet.Owners:
		return "by owner, " + figureName(v.shownFigure())
	case what == "":
		return figureName(v.shownFigure())
	}
	return what
}

// further returns the view that a row opens; ok is false for a recording.
func (v *view) further(r *row) (to view, ok bool) {
	to = *v
	to.service = r.service
	switch v.kind {
	case fleet.Top:
		to.kind = fleet.Recordings
		to.site, to.siteName = r.question(), model.Clean(r.place.String())
	case fleet.Diff:
		to.kind, to.version = fleet.Recordings, r.after
		if r.status == "gone" {
			to.version = r.before
		}
		to.site, to.siteName = r.question(), model.Clean(r.place.String())
	case fleet.Outliers:
		to.kind, to.host = fleet.Recordings, r.host
	case fleet.Trend:
		to.kind, to.version = deeper(v.site), r.version
	case fleet.Spread:
		to.kind = deeper(v.site)
	default:
		return to, false
	}
	return to, true
}

// deeper returns the screen that shows what is in a service or a version: its sites, or the recordings that have the
// chosen one.
func deeper(site string) fleet.Kind {
	if site == "" {
		return fleet.Top
	}
	return fleet.Recordings
}
