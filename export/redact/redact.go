// Package redact replaces the names in a profile, so that what is written about it can be given away.
//
// It works at the source: the profile that [Redactor.Profile] returns has no name of the file, so neither has anything
// that is written of it. Equal names become equal stand-ins, such as function-12, in every output of one Redactor. The
// figures, the shape of stacks, times and line numbers stay.
//
// Kept are words that reveal nothing about the program, each as a complete name, from the lists of [Kept]: allocation
// functions, without which sites would be named after other frames; functions that start every program; words of the
// formats and of MoarVM. Names of the standard library in general are not kept, as template arguments in them are names
// of the program.
package redact

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/memtui/memtui/model"
)

// Redactor maps names to stand-ins. Any goroutine may use it and the profiles that it returned. Create it with [New].
type Redactor struct {
	mu    sync.Mutex
	known map[string]string // stand-ins by name
	count map[string]int    // stand-ins by kind
	pairs []Pair
	kept  map[string]bool
}

// Pair is a name with its stand-in.
type Pair struct{ StandIn, Name string }

// New returns a Redactor that has replaced nothing yet.
func New() *Redactor {
	r := &Redactor{known: map[string]string{}, count: map[string]int{}, kept: map[string]bool{}}
	for _, word := range Kept() {
		r.kept[word] = true
	}
	return r
}

// Pairs returns what was replaced so far, in order of replacement. Nothing else can restore the names.
func (r *Redactor) Pairs() []Pair {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Pair{}, r.pairs...)
}

// Name returns the stand-in of a name; kind becomes part of a new one. The empty name stays empty.
func (r *Redactor) Name(kind, name string) string {
	if name == "" || r.kept[name] {
		return name
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if s, ok := r.known[name]; ok {
		return s
	}
	r.count[kind]++
	s := kind + "-" + strconv.Itoa(r.count[kind])
	r.known[name] = s
	r.pairs = append(r.pairs, Pair{s, name})
	return s
}

// Path replaces each part of a path, so that files of one folder stay together. A suffix of letters stays: it shows the
// language.
func (r *Redactor) Path(name string) string {
	if r.kept[name] || !strings.Contains(name, "/") {
		return r.file(name)
	}
	parts := strings.Split(name, "/")
	for i, p := range parts {
		if i == len(parts)-1 {
			parts[i] = r.file(p)
		} else if p != "." && p != ".." {
			parts[i] = r.Name("folder", p)
		}
	}
	return strings.Join(parts, "/")
}

func (r *Redactor) file(name string) string {
	suffix := path.Ext(name)
	const known = " .c .cc .cpp .cxx .h .hh .hpp .hxx .inc .rs .go .py .js .ts .java .rb .pl .raku .rakumod .nqp .pm .so .S .asm "
	if name == suffix || !strings.Contains(known, " "+suffix+" ") {
		suffix = ""
	}
	if s := r.Name("file", name); s != name {
		return s + suffix
	}
	return name
}

// problems replaces the texts, which may quote names, by the codes.
func (r *Redactor) problems(list []model.Problem) []model.Problem {
	out := make([]model.Problem, len(list))
	for i, p := range list {
		p.Message = strings.ReplaceAll(p.Code, "-", " ") + " (the text is left out because it may contain names)"
		out[i] = p
	}
	return out
}

// Profile returns p without its names. It shares everything else, and reads from the same file. What could contain
// names is removed: the lines of the file, its facts, and its points as written.
func (r *Redactor) Profile(p *model.Profile) *model.Profile {
	out := *p
	out.Meta.Name = r.Name("file", p.Meta.Name)
	out.Meta.Path, out.Meta.Facts, out.Meta.FrameNote = out.Meta.Name, nil, ""
	out.Problems = r.problems(p.Problems)
	out.Stacks = r.stacks(p.Stacks)
	out.Weights = r.weights(p.Weights)
	out.Timeline = r.timeline(p.Timeline)
	if p.Allocations != nil {
		out.Allocations = events{p.Allocations, r}
	}
	if p.Heaps != nil {
		out.Heaps = &heaps{HeapSource: p.Heaps, r: r}
	}
	if p.Pages != nil {
		out.Pages = pages{p.Pages, r}
	}
	return &out
}

func (r *Redactor) all(list []string, replace func(string) string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = replace(s)
	}
	return out
}

func (r *Redactor) stacks(s *model.Stacks) *model.Stacks {
	if s == nil {
		return nil
	}
	out := *s
	out.Functions = r.all(s.Functions, func(name string) string { return r.Name("function", name) })
	out.Files = r.all(s.Files, r.Path)
	out.DSOs = r.binaries(s.DSOs)
	return &out
}

func (r *Redactor) binaries(list []model.DSO) []model.DSO {
	out := slices.Clone(list)
	for i := range out {
		out[i].Name, out[i].BuildID = r.Path(out[i].Name), ""
	}
	return out
}

func (r *Redactor) weights(w *model.StackProfile) *model.StackProfile {
	if w == nil {
		return nil
	}
	out := *w
	out.SourceTool, out.Command, out.ToolVersion = r.Name("tool", w.SourceTool), r.Name("command", w.Command), ""
	out.FrameOrder, out.StackIDMode = r.Name("word", w.FrameOrder), r.Name("word", w.StackIDMode)
	out.Lines = nil
	out.Events = append([]model.ProfileEvent{}, w.Events...)
	for i := range out.Events {
		e := &out.Events[i]
		e.Name, e.Kind, e.Mode, e.PrimaryName = r.Name("event", e.Name), r.Name("kind", e.Kind),
			r.Name("mode", e.Mode), r.Metric(e.PrimaryName)
		if !model.Measured(e.PeriodUnit) {
			e.PeriodUnit = r.Name("unit", e.PeriodUnit)
		}
	}
	out.Metrics = append([]model.ProfileMetric{}, w.Metrics...)
	for i := range out.Metrics {
		out.Metrics[i].Name, out.Metrics[i].Unit = r.Metric(out.Metrics[i].Name), r.Name("unit", out.Metrics[i].Unit)
	}
	out.DSOs = r.binaries(w.DSOs)
	out.Threads = append([]model.ProfileThread{}, w.Threads...)
	for i := range out.Threads {
		out.Threads[i].Comm = r.Name("thread", out.Threads[i].Comm)
	}
	r.recordIDs(&out.Records)
	out.Windows = append([]model.Window{}, w.Windows...)
	for i := range out.Windows {
		out.Windows[i].ID = r.Name("window", out.Windows[i].ID)
	}
	out.Labels = r.labels(w.Labels)
	return &out
}

// labels replaces keys and texts of labels. Numbers stay, as sizes do.
func (r *Redactor) labels(sets [][]model.Label) (out [][]model.Label) {
	for _, set := range sets {
		set = append([]model.Label{}, set...)
		for i := range set {
			l := &set[i]
			l.Key, l.Text, l.Unit = r.Name("label", l.Key), r.Name("value", l.Text), r.Name("unit", l.Unit)
		}
		out = append(out, set)
	}
	return out
}

// recordIDs replaces ids that are texts, and hashes: those of stacks are computed from the names of their frames, so
// guessed names could be checked against them. Numbers stay.
func (r *Redactor) recordIDs(rec *model.StackRecords) {
	rec.Texts = r.all(rec.Texts, func(name string) string { return r.Name("stack", name) })
	ids, kinds := rec.ID, rec.IDKind
	rec.ID, rec.IDKind = append([]uint64{}, ids...), append([]model.IDKind{}, kinds...)
	known := map[uint64]uint64{} // hashes to indexes of Texts
	for i, id := range ids {
		if kinds[i] != model.IDHex {
			continue
		}
		n, ok := known[id]
		if !ok {
			n = uint64(len(rec.Texts))
			known[id] = n
			rec.Texts = append(rec.Texts, r.Name("stack", fmt.Sprintf("0x%016x", id)))
		}
		rec.ID[i], rec.IDKind[i] = n, model.IDText
	}
}

// Metric returns the stand-in of a metric: it keeps the end of a metric's name, which has its unit.
func (r *Redactor) Metric(name string) string {
	s := r.Name("metric", name)
	if s == name {
		return s
	}
	for _, unit := range []string{"_bytes", "_count", "_ns", "_us"} {
		if strings.HasSuffix(name, unit) {
			return s + unit
		}
	}
	return s
}

func (r *Redactor) timeline(t *model.Timeline) *model.Timeline {
	if t == nil {
		return nil
	}
	out := *t
	out.Points = nil
	out.Series = append([]model.Series{}, t.Series...)
	for i := range out.Series {
		s := &out.Series[i]
		s.ID, s.Name, s.Color = r.Name("id", s.ID), r.Name("series", s.Name), ""
		s.Events = append([]model.SeriesEvent{}, s.Events...)
		for k := range s.Events {
			s.Events[k].Name = r.Name("event", s.Events[k].Name)
		}
	}
	return &out
}
