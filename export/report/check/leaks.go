package check

import (
	"fmt"
	"path"
	"strings"

	"github.com/memtui/memtui/analysis/accept"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/places"
	"github.com/memtui/memtui/model"
)

// Leaks are the leaks of a file that are not accepted.
type Leaks struct {
	MinBytes   uint64       `json:"min_bytes"` // smaller leaks pass
	Count      int          `json:"failed_count"`
	Failed     []FailedLeak `json:"failed"` // most significant first, at most as many as requested
	Known      int          `json:"baseline_count"`
	Suppressed int          `json:"suppressed_count"`
	Small      int          `json:"small_count"`
	Stale      []StaleEntry `json:"stale"` // what accepts nothing any longer
	Notes      []string     `json:"notes"`

	bytes   uint64 // of all that failed
	overlap bool   // leaks overlap: the sum of their bytes is meaningless
}

// FailedLeak is a leak that is not accepted.
type FailedLeak struct {
	Owner      places.Owner `json:"owner"`
	Bytes      uint64       `json:"bytes"` // of the sites
	Count      uint64       `json:"count"`
	KnownBytes *uint64      `json:"known_bytes,omitzero"` // in the baseline, of one that grew since
	Accepted   int          `json:"accepted_sites"`       // others of the owner
	Sure       places.Sure  `json:"confidence"`
	Evidence   string       `json:"evidence"`
	Sites      []FailedSite `json:"sites"` // most bytes first

	rows    *model.HeapSet // what is counted; nil for blocks
	sampled bool           // the blocks are samples
}

// FailedSite is one of its stacks.
type FailedSite struct {
	Stack  *uint64        `json:"stack,omitzero"`            // of a trace
	Row    *model.Row     `json:"accumulation_row,omitzero"` // of a heap snapshot: below which the objects gather
	Bytes  uint64         `json:"bytes"`                     // of a heap snapshot, what the objects retain
	Count  uint64         `json:"count"`
	Frames []places.Place `json:"frames"` // leaf first, at most 128; of a heap snapshot the type, its owner, and what dominates that

	rest int // frames beyond those
}

// StaleEntry is an entry of a baseline or of suppressions that accepts nothing any longer.
type StaleEntry struct {
	File string `json:"file"`
	Line *int   `json:"line,omitzero"`
	Name string `json:"name"`
	Lost string `json:"lost_pattern,omitzero"` // it can match no name of the source
}

// mostFrames is the number of frames of a stack that are listed, and mostSites the number of sites of a leak.
const mostFrames, mostSites = 128, 100

// NewLeaks returns the leaks of a check, with at most limit rows, 0 for all. least is the size from which they
// fail.
func NewLeaks(r *accept.Result, least uint64, notes []string, limit int) *Leaks {
	c := &Leaks{
		MinBytes: least, Count: len(r.Failures), Failed: []FailedLeak{}, Known: r.Known, Suppressed: r.Suppressed,
		Small: r.Small, Stale: []StaleEntry{}, Notes: notes,
	}
	for i := range r.Failures {
		f := &r.Failures[i]
		c.bytes, _ = model.SaturatingAdd(c.bytes, f.Bytes)
		c.overlap = c.overlap || f.Rows != nil
		if limit == 0 || i < limit {
			c.Failed = append(c.Failed, newFailedLeak(f))
		}
	}
	for _, s := range r.Stale {
		x := StaleEntry{File: s.File, Name: s.Name, Lost: s.Lost}
		if s.Line > 0 {
			x.Line = &s.Line
		}
		c.Stale = append(c.Stale, x)
	}
	return c
}

func newFailedLeak(f *accept.Failure) FailedLeak {
	out := FailedLeak{
		Owner: places.Owner{Place: places.OfFrame(f.Owner)}, Bytes: f.Bytes, Count: f.Count, Accepted: f.Accepted,
		Sure: places.NewSure(f.Confidence), Evidence: f.Evidence,
		rows: f.Rows,
	}
	if f.Known > 0 {
		out.KnownBytes = &f.Known
	}
	for i := range f.Sites[:min(len(f.Sites), mostSites)] {
		s := &f.Sites[i]
		site := FailedSite{Bytes: s.Bytes, Count: s.Count, Frames: []places.Place{}}
		switch stack := uint64(s.Stack); {
		case f.Rows == nil:
			site.Stack = &stack
		case s.HasRow:
			site.Row = &s.Row
		}
		for frame := range s.Frames {
			if len(site.Frames) == mostFrames {
				site.rest++
				continue
			}
			site.Frames = append(site.Frames, places.OfFrame(frame))
		}
		out.Sites = append(out.Sites, site)
	}
	return out
}

// estimate words the leaks as those of a recording of which not all blocks were recorded.
func (c *Leaks) estimate() {
	for i := range c.Failed {
		f := &c.Failed[i]
		f.sampled, f.Evidence = true, model.AsEstimates(f.Evidence)
	}
}

// Limit returns the line about leaks among the limits. asked is the size as written.
func (c *Leaks) Limit(asked string) Limit {
	return Limit{Name: "no-leaks", Asked: asked, Unit: "leaks", Value: int64(c.Count), OK: c.Count == 0, leaks: c}
}

// reason returns the number of leaks, and how many are accepted.
func (c *Leaks) reason(s cells.Style) string {
	out, limit := "no leaks", s.Stated()
	if c.MinBytes > 0 {
		out += " of " + limit.Bytes(c.MinBytes) + " or more"
	}
	if c.Count > 0 {
		out = model.Counted(c.Count, "leak")
		if c.Count == 1 || !c.overlap {
			out += ": " + s.Bytes(c.bytes)
		}
	}
	var rest []string
	for _, x := range []struct {
		n    int
		what string
	}{{c.Known, "in the baseline"}, {c.Suppressed, "suppressed"}, {c.Small, "smaller than " + limit.Bytes(c.MinBytes)}} {
		if x.n > 0 {
			rest = append(rest, model.Group(uint64(x.n))+" "+x.what)
		}
	}
	if len(rest) > 0 {
		out += " (accepted: " + strings.Join(rest, ", ") + ")"
	}
	return out
}

// Limits of texts about a leak; JSON has more.
const shownSites, shownStale = 3, 3

// lines returns a leak with its owner, evidence and stacks, as lines after a headline.
func (f *FailedLeak) lines(s cells.Style) (head string, lines []string) {
	head = s.Function(f.Owner.Name())
	if at := f.Owner.Place.Where(); at != "" {
		head += " (" + at + ")"
	}
	head += ": " + s.Bytes(f.Bytes) + " in " + f.counted(f.Count)
	if f.KnownBytes != nil {
		head += fmt.Sprintf("; grew to more than %d times the %s in the baseline", accept.GrownTimes, s.Bytes(*f.KnownBytes))
	}
	if f.Accepted > 0 {
		head += "; " + model.Counted(f.Accepted, "other stack") + " of it accepted"
	}
	lines = cells.Wrapped(f.Sure.String()+" certain: "+s.Text(model.Clean(f.Evidence)), s.LineWidth()-4)
	for i := range f.Sites[:min(len(f.Sites), shownSites)] {
		lines = append(lines, f.Sites[i].lines(s, f)...)
	}
	if n := len(f.Sites) - shownSites; n > 0 {
		lines = append(lines, s.Text("… ")+model.Counted(n, "more stack"))
	}
	return head, lines
}

func (f *FailedLeak) counted(n uint64) string {
	switch {
	case f.rows == nil && f.sampled:
		return model.Counted(n, "sample")
	case f.rows == nil:
		return model.Blocks(n)
	case n == 1:
		return "1 " + f.rows.One
	}
	return model.Group(n) + " " + f.rows.Many
}

// lines returns a site of a leak: what it is, and its frames.
func (x *FailedSite) lines(s cells.Style, of *FailedLeak) []string {
	where := "held in many places: "
	switch {
	case x.Stack != nil:
		where = fmt.Sprintf("stack %d: ", *x.Stack)
	case x.Row != nil:
		where = fmt.Sprintf("below object #%d: ", *x.Row)
	}
	lines := []string{where + s.Bytes(x.Bytes) + " in " + of.counted(x.Count)}
	for i, p := range x.Frames {
		line := fmt.Sprintf("  #%d %s", i, s.Function(p.Name()))
		if at := p.Base(); at != "" {
			line += " (" + at + ")"
		}
		lines = append(lines, line)
	}
	if x.rest > 0 {
		lines = append(lines, s.Text("  … ")+model.Counted(x.rest, "more frame"))
	}
	return lines
}

// hint returns the entries that no longer match, "" for none.
func (c *Leaks) hint() string {
	if len(c.Stale) == 0 {
		return ""
	}
	var names []string
	for _, x := range c.Stale[:min(len(c.Stale), shownStale)] {
		at := path.Base(x.File)
		if x.Line != nil {
			at += fmt.Sprintf(":%d", *x.Line)
		}
		names = append(names, model.Clean(x.Name)+" ("+model.Clean(at)+")"+x.why())
	}
	out := "hint: "
	if n := len(c.Stale) - shownStale; n > 0 {
		names = append(names, model.Group(uint64(n))+" more")
	}
	if len(c.Stale) == 1 {
		return out + "an entry no longer matches a leak: " + names[0]
	}
	return out + model.Group(uint64(len(c.Stale))) + " entries no longer match a leak: " + strings.Join(names, ", ")
}

// why returns why the entry can never match, "" if it may.
func (x *StaleEntry) why() string {
	if x.Lost == "" {
		return ""
	}
	return ", which can never match: " + model.Clean(x.Lost) +
		" is a mangled name with wildcards, or is cut; write the name of the source, as in fun:Cache::get*"
}

// write prints the leaks that failed, after the limits.
func (c *Leaks) write(t *report.TextWriter) {
	for i := range c.Failed {
		head, lines := c.Failed[i].lines(t.Style)
		t.Line()
		t.Line(" ", t.Style.Bold("leak"), "  ", t.Style.Text(head))
		for _, l := range lines {
			t.Line("    ", cells.Fit(t.Style.Text(l), t.Style.LineWidth()-4, t.Style.Cut()))
		}
	}
	if n := c.Count - len(c.Failed); n > 0 {
		t.Line(" ", t.Style.Text(fmt.Sprintf("… %s more (--limit 0 shows all)", model.Group(uint64(n)))))
	}
	if h := c.hint(); h != "" {
		t.Line()
		for _, l := range cells.Wrapped(t.Style.Text(h), t.Style.LineWidth()-1) {
			t.Line(" ", l)
		}
	}
}

func (c *Leaks) markdown(m *report.MarkdownWriter, s cells.Style) {
	for i := range c.Failed {
		head, lines := c.Failed[i].lines(s)
		m.Printf("\n**leak** %s\n\n", cells.Prose(s.Text(head)))
		for _, l := range lines {
			m.Printf("    %s\n", model.Clean(s.Text(l)))
		}
	}
	if n := c.Count - len(c.Failed); n > 0 {
		m.Printf("\n… %s more\n", model.Group(uint64(n)))
	}
	if h := c.hint(); h != "" {
		m.Printf("\n%s\n", cells.Prose(s.Text(h)))
	}
}
