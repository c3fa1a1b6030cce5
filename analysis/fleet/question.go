package fleet

import (
	"context"
	"fmt"
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
)

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

// Filter selects recordings. Empty texts select all.
type Filter struct {
	Service, Version, Host string
	Labels                 []string // "key=value"; a recording has all of them
}

// holds reports whether a recording is selected, and has a figure.
func (f *Filter) holds(r *Recording, figure Figure) bool {
	if r.Recipe != Recipe || figure.of(r) == nil || f.Service != "" && f.Service != r.Service ||
		f.Version != "" && f.Version != r.Version || f.Host != "" && f.Host != r.Host {
		return false
	}
	for _, l := range f.Labels {
		found := false
		for _, has := range r.Labels {
			found = found || has == l
		}
		if !found {
			return false
		}
	}
	return true
}

// Question is one question.
type Question struct {
	Kind   Kind
	Figure Figure
	Filter
	Before, After string // versions, of Diff
	Site          string // of Outliers, Trend, Spread and Recordings: a key or the name of a function; "" is all of a recording
	Limit         int    // rows, 0 for all
}

// site returns the key that a question is about. ok is false if it is about functions, or all.
func (q *Question) site() (k Key, ok bool) { return KeyOf(q.Site) }

// Summary is the distribution of a figure over the hosts where it is not 0. A host counts by its largest recording.
type Summary struct {
	Total  uint64 `json:"total_bytes"`
	Median uint64 `json:"median_bytes"`
	P95    uint64 `json:"p95_bytes"`
	Most   uint64 `json:"max_bytes"`
	Hosts  uint64 `json:"host_count"`
	All    uint64 `json:"all_hosts"` // also those where it is 0
}

// Place names a stack.
type Place struct {
	Function string `json:"function"`
	File     string `json:"file"`
}

// TopRow is a row of the answer to Top.
type TopRow struct {
	Service string `json:"service"`
	Stack   Key    `json:"stack"`
	Place
	Summary
}

// DiffRow is a row of the answer to Diff. What has less after than before has a negative change.
type DiffRow struct {
	Service string `json:"service"`
	Stack   Key    `json:"stack"`
	Place
	Change       float64 `json:"change_per_host"` // of the mean over all hosts of a version, in bytes
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

// Answer holds the rows of one of the lists, that of the question's kind.
type Answer struct {
	Top        []TopRow
	Diff       []DiffRow
	Outliers   []OutlierRow
	Trend      []TrendRow
	Spread     []SpreadRow
	Recordings []RecordingRow
}

// leastScore is the robust z from which a host is an outlier, as is usual.
const leastScore = 3.5

// Rows are the tables that answers are computed from.
type Rows interface {
	// Recordings returns the table recordings.
	Recordings(ctx context.Context) ([]Recording, error)
	// Sites calls f with every row of the sites of services: the recording, the stack, and the figure.
	Sites(ctx context.Context, figure Figure, services []string, f func(recording, stack, value uint64)) error
	// Stacks calls f with the rows of the table stacks of services.
	Stacks(ctx context.Context, services []string, f func(*Stack)) error
}

// String returns the name of the command that asks.
func (k Kind) String() string {
	return [...]string{"top", "diff", "outliers", "trend", "stack", "recordings"}[k]
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
