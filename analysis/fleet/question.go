package fleet

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Kind is the kind of a question.
type Kind uint8

const (
	Top        Kind = iota // which sites have most
	Diff                   // which sites have more in one version than in another
	Outliers               // which hosts are far from the others
	Trend                  // how a site, or all of a service, changes from version to version
	Spread                 // which services have a site
	Recordings             // which recordings have most of a site, or of all
	Curve                  // how what lives changes while recordings run, in each version
	Shared                 // which sites several services have
)

// What is what has the figures: a table of things within recordings.
type What string

// Things. Their texts are the names of tables.
const (
	Sites  What = "sites"  // allocation sites
	Owners What = "owners" // functions that stacks are named after, with all sites of each
	Leaks  What = "leaks"  // sites that leak by their verdict
	Types  What = "types"  // of the objects in the last snapshot of a heap
	Pages  What = "pages"  // in the last layouts of a memory dump, by curve and type
)

// Whats returns all kinds of things, the default first.
func Whats() []What { return []What{Sites, Owners, Leaks, Types, Pages} }

// Stacks reports whether things are stacks. Others have names.
func (w What) Stacks() bool { return w == Sites || w == Leaks || w == "" }

// HasSites reports whether things are sites or have some, so that recordings have their figures.
func (w What) HasSites() bool { return w.Stacks() || w == Owners }

// HasCounts reports whether things are counted, too: as objects, or pages.
func (w What) HasCounts() bool { return !w.HasSites() }

// place returns the place of a thing that is no stack, by its name.
func (w What) place(name string) Place {
	if w != Owners {
		return Place{Type: name}
	}
	if function, file, ok := Divided(name); ok {
		return Place{Function: function, File: file}
	}
	return Place{Function: name}
}

// Figure returns the only figure that things have, "" if they have all.
func (w What) Figure() Figure {
	switch w {
	case Leaks:
		return Leaked
	case Types, Pages:
		return Live
	}
	return ""
}

// Figure is a figure of recordings and sites. Its text is a column of both tables.
type Figure string

// Figures.
const (
	Leaked Figure = "leaked_bytes"
	Live   Figure = "live_bytes"
	Peak   Figure = "peak_bytes"
	Alloc  Figure = "alloc_bytes"
)

// Figures returns all figures, the default first.
func Figures() []Figure { return []Figure{Leaked, Live, Peak, Alloc} }

// FigureNamed returns a figure by its name, with or without the unit; "" is the first.
func FigureNamed(name string) (Figure, bool) {
	for _, f := range Figures() {
		if name == "" || name == string(f) || name == strings.TrimSuffix(string(f), "_bytes") {
			return f, true
		}
	}
	return "", false
}

// of returns the figure of a recording, nil if it does not record that.
func (f Figure) of(r *Recording) *uint64 {
	switch f {
	case Live:
		return r.Live
	case Peak:
		return r.Peak
	case Alloc:
		return r.Alloc
	}
	return r.Leaked
}

// Cut says what is wrong with the figure of recordings that end early; end is "it ends" or "they end".
func (f Figure) Cut(end string) string {
	if f == Leaked {
		return "what was live where " + end + " counts as never freed"
	}
	return "what came later is missing"
}

// Key identifies a stack in every recording. Its text has sixteen hexadecimal digits.
type Key uint64

// String returns the text.
func (k Key) String() string { return fmt.Sprintf("%016x", uint64(k)) }

// Cell returns the text, for CSV.
func (k Key) Cell() string { return k.String() }

// KeyOf reads the text of a key.
func KeyOf(text string) (Key, bool) {
	n, err := strconv.ParseUint(text, 16, 64)
	return Key(n), err == nil && len(text) == 16
}

// Filter selects recordings. What is empty selects all.
type Filter struct {
	Service, Version, Host string
	Labels                 []string // "key=value"; a recording has all of them
	IDs                    []string // beginnings of ids; a recording has one of them
	Until                  int64    // recordings begin before it, microseconds since 1970
}

// IsEmpty reports whether all recordings are selected.
func (f *Filter) IsEmpty() bool {
	return f.Service+f.Version+f.Host == "" && len(f.Labels)+len(f.IDs) == 0 && f.Until == 0
}

// Holds reports whether a recording is selected.
func (f *Filter) Holds(r *Recording) bool {
	if r.Recipe != Recipe || f.Service != "" && f.Service != r.Service || f.Version != "" && f.Version != r.Version ||
		f.Host != "" && f.Host != r.Host || f.Until != 0 && r.Start >= f.Until {
		return false
	}
	for _, l := range f.Labels {
		if !slices.Contains(r.Labels, l) {
			return false
		}
	}
	return len(f.IDs) == 0 || slices.ContainsFunc(f.IDs, func(id string) bool { return strings.HasPrefix(r.ID, id) })
}

// Question is one question. A host counts by its newest recording of a service that has the figure: in Diff and Trend by
// the newest of each version. In Recordings every recording counts.
type Question struct {
	Kind   Kind
	What   What // "" is Sites
	Figure Figure
	Filter
	All           bool   // a host counts by the largest of its newest recordings of each version
	Every         bool   // Outliers lists the other hosts, too
	Before, After string // versions, of Diff
	Site          string // a key, a function, or that with its file as tables print it; of types a name; "" is all of a recording
	Only          []Key  // stacks: rows of others are left out; empty for all
	Limit         int    // rows, 0 for all
	distinct      bool   // no row is there twice, and a host counts by one recording: its SQL need not group by hosts
}

// site returns the key that a question is about. ok is false if it is about functions, or all.
func (q *Question) site() (k Key, ok bool) {
	if !q.What.Stacks() {
		return 0, false
	}
	return KeyOf(q.Site)
}

// has reports whether a recording is selected and has the figure.
func (q *Question) has(r *Recording) bool {
	return q.selects(r) && (!q.ofRecordings() || q.Figure.of(r) != nil)
}

// selects reports whether a recording is selected, with or without the figure.
func (q *Question) selects(r *Recording) bool {
	return q.Holds(r) && (q.Kind != Diff || r.Version == q.Before || r.Version == q.After)
}

// byVersion reports whether a host counts once per version.
func (q *Question) byVersion() bool {
	return q.All || q.Kind == Diff || q.Kind == Trend || q.Kind == Curve
}

// ofRecordings reports whether recordings themselves have the figure, not only rows of another table.
func (q *Question) ofRecordings() bool { return q.What.HasSites() && q.Kind != Curve }

// Divided returns the function and file of a site as tables print it: "grow (cart.c)". ok is false if no file is named.
func Divided(site string) (function, file string, ok bool) {
	if at := strings.LastIndex(site, " ("); at > 0 && strings.HasSuffix(site, ")") {
		return site[:at], site[at+2 : len(site)-1], true
	}
	return "", "", false
}

// Summary is the distribution of a figure over the hosts where it is not 0.
type Summary struct {
	Total  uint64 `json:"total_bytes"`
	Median uint64 `json:"median_bytes"`
	P95    uint64 `json:"p95_bytes"`
	Most   uint64 `json:"max_bytes"`
	Hosts  uint64 `json:"host_count"`
	All    uint64 `json:"all_hosts"` // also those where it is 0
}

// Place names a stack, or a thing of another kind.
type Place struct {
	Function string `json:"function,omitzero"`
	File     string `json:"file,omitzero"` // of an unknown function its module
	Type     string `json:"type,omitzero"` // of things other than stacks
}

// String returns the name as tables print it, and questions take it.
func (p Place) String() string {
	switch {
	case p.Type != "":
		return p.Type
	case p.File != "":
		return p.Function + " (" + p.File + ")"
	}
	return p.Function
}

// TopRow is a row of the answer to Top.
type TopRow struct {
	Service string `json:"service"`
	Stack   Key    `json:"stack,omitzero"`
	Place
	Summary
	Count uint64 `json:"count_sum,omitzero"` // objects of a type, or pages, of all hosts; sites have none
}

// DiffRow is a row of the answer to Diff. What has less after than before has a negative change.
type DiffRow struct {
	Service string `json:"service"`
	Stack   Key    `json:"stack,omitzero"`
	Place
	Change       float64 `json:"change_per_host"`   // of the mean, in bytes
	BeforeMean   float64 `json:"before_mean_bytes"` // over all hosts of the version, also those that have 0
	AfterMean    float64 `json:"after_mean_bytes"`
	BeforeMedian uint64  `json:"before_median_bytes"`
	BeforeP95    uint64  `json:"before_p95_bytes"`
	BeforeHosts  uint64  `json:"before_host_count"`
	BeforeAll    uint64  `json:"before_all_hosts"`
	AfterMedian  uint64  `json:"after_median_bytes"`
	AfterP95     uint64  `json:"after_p95_bytes"`
	AfterHosts   uint64  `json:"after_host_count"`
	AfterAll     uint64  `json:"after_all_hosts"`
}

// Status returns "new" or "gone" for a site that only one of the versions has, else "".
func (r *DiffRow) Status() string {
	switch {
	case r.BeforeHosts == 0:
		return "new"
	case r.AfterHosts == 0:
		return "gone"
	}
	return ""
}

// OutlierRow is a row of the answer to Outliers.
type OutlierRow struct {
	Service string  `json:"service"`
	Host    string  `json:"host"`
	Value   uint64  `json:"bytes"`
	Median  uint64  `json:"median_bytes"` // of all hosts of the service
	Score   float64 `json:"robust_z"`     // distance from the median, in standard deviations as the median distance estimates them
}

// TrendRow is a row of the answer to Trend.
type TrendRow struct {
	Service string `json:"service"`
	Version string `json:"version"`
	First   int64  `json:"first_us"` // start of its first recording, microseconds since 1970
	Summary
}

// SpreadRow is a row of the answer to Spread.
type SpreadRow struct {
	Service string `json:"service"`
	Summary
}

// Basis says what recordings an answer is of.
type Basis struct {
	Recordings uint64 `json:"recordings"`              // that the filters select
	Counted    uint64 `json:"counted"`                 // those that hosts count by
	Lacking    uint64 `json:"lacking,omitzero"`        // those that have no such figure
	Freeless   uint64 `json:"without_frees,omitzero"`  // lacking, as they record no FREE
	Memoryless uint64 `json:"without_memory,omitzero"` // lacking, as they are of something else than memory
	Undated    uint64 `json:"dated_by_file,omitzero"`  // counted, with the time of their file
	Incomplete uint64 `json:"incomplete,omitzero"`     // counted, and they end early
	Sampled    uint64 `json:"sampled,omitzero"`        // counted, and they are estimates
}

// Answer holds the rows of one of the lists, that of the question's kind, and what recordings they are of.
type Answer struct {
	Top        []TopRow
	Diff       []DiffRow
	Outliers   []OutlierRow
	Trend      []TrendRow
	Spread     []SpreadRow
	Recordings []RecordingRow
	Curve      []CurveRow
	Shared     []SharedRow
	Basis      Basis
}

// IsEmpty reports whether no row has a figure other than 0.
func (a *Answer) IsEmpty() bool {
	return len(a.Top)+len(a.Diff)+len(a.Outliers)+len(a.Spread)+len(a.Recordings)+len(a.Curve)+len(a.Shared) == 0 &&
		!slices.ContainsFunc(a.Trend, func(r TrendRow) bool { return r.Hosts > 0 })
}

// LeastScore is the robust z from which a host is an outlier, as is usual.
const LeastScore = 3.5

// Rows are the tables that answers are computed from. Rows may come more than once.
type Rows interface {
	// Recordings returns the table recordings, of a service or of all where that is "".
	Recordings(ctx context.Context, service string) ([]Recording, error)
	// Sites calls f with the rows of the sites of services, as columns: the recording, the stack, and the figure. It must
	// not keep them. Where only is not nil, rows of other stacks may be left out.
	Sites(ctx context.Context, figure Figure, services []string, only map[uint64]bool, f func(recordings, stacks, values []uint64)) error
	// Leaks, Types, Pages, Curve and Stacks call f with the rows of these tables of services. Stacks may lack frames.
	Leaks(ctx context.Context, services []string, f func(*Leak)) error
	Types(ctx context.Context, services []string, f func(*Type)) error
	Pages(ctx context.Context, services []string, f func(*Page)) error
	Curve(ctx context.Context, services []string, f func(*Point)) error
	Stacks(ctx context.Context, services []string, f func(*Stack)) error
}

// String returns the name of the command that asks.
func (k Kind) String() string {
	return [...]string{"top", "diff", "outliers", "trend", "stack", "recordings", "curve", "shared"}[k]
}

// Frame divides a frame of a stack into its function and its file, "" if that is unknown.
func Frame(text string) (function, file string) {
	function, file, _ = strings.Cut(text, Separator)
	return function, file
}

// Separator is between the function and the file of a frame.
const Separator = "\t"

// AppendJSON appends the text of a key as JSON.
func (k Key) AppendJSON(dst []byte) []byte { return strconv.AppendQuote(dst, k.String()) }
