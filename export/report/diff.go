package report

import (
	"cmp"
	"math"
	"regexp"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/analysis/suspects"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/members"
	"github.com/memtui/memtui/export/report/object"
	"github.com/memtui/memtui/export/report/places"
	"github.com/memtui/memtui/export/report/suspect"
	"github.com/memtui/memtui/model"
)

// schemaDiff is the name of the object that compares two files.
const schemaDiff = "memtui.diff/1"

// Diff says what changed between two files, or between two instants, ranges, snapshots or layouts of one. The header is
// about the file after, but for completeness, losses and problems, which are those of both.
type Diff struct {
	Header
	Before     DiffSide          `json:"before"`
	After      DiffSide          `json:"after"`
	Swapped    bool              `json:"swapped"` // before was given last
	Summary    string            `json:"summary"` // what changed, in one sentence
	Direction  string            `json:"direction"`
	Totals     DiffTotals        `json:"totals"` // over all rows, whatever the limit
	Rows       []DiffRow         `json:"rows"`   // by the size of the change in bytes
	Count      int               `json:"row_count"`
	Event      *string           `json:"event,omitzero"`  // of profiles of stacks
	Metric     *string           `json:"metric,omitzero"` // what the fields of bytes hold
	What       string            `json:"matched_by"`      // what a row represents, as text: "type", "stack"
	Match      *string           `json:"match,omitzero"`  // of stacks: how much of two frames must be equal
	Masks      []string          `json:"masks,omitzero"`
	Filters    []string          `json:"filters,omitzero"` // of stacks: "focus main"; and "cell 4096,never"
	Normalized *DiffNormal       `json:"normalized,omitzero"`
	Statuses   DiffStatuses      `json:"statuses"`              // rows by status, whatever the limit
	Within     *int              `json:"within_error,omitzero"` // of those that changed: by no more than the error of sampling; nil if that is not known
	Unmatched  DiffPair[DiffSum] `json:"unmatched"`             // rows that only one side has
	Nameless   DiffPair[DiffSum] `json:"nameless"`              // those of them that their file does not name
	Merged     DiffPair[int]     `json:"merged"`                // rows that were added to another one of their side because they look the same
	LeftOut    int               `json:"left_out,omitzero"`     // rows whose retained size is unknown on one side
	Only       []string          `json:"only,omitzero"`
	Suspects   []suspect.Suspect `json:"suspects,omitzero"` // of heap snapshots: those that grew, most grown first

	Remarks []string `json:"notes,omitzero"` // on how rows are matched

	words    diff.Words
	compared *diff.Comparison
	unit     string          // of Metric, as the files state it
	axis     *model.HeapAxis // of types of heap snapshots: what distinguishes those of one name; nil where nothing does
	by       *model.HeapAxis // of groups of objects: what they are grouped by; nil for other rows
	left     leftOut
	filtered bool // by [Diff.Filter]
	passed   int  // of the rows that passed, those that changed
}

// HasRows reports whether there was memory for the rows.
func (d *Diff) HasRows() bool { return !d.left.has("rows") }

// Comparison returns what the rows are of, with all of them.
func (d *Diff) Comparison() *diff.Comparison { return d.compared }

// DiffSide is one of the two.
type DiffSide struct {
	File     File        `json:"file"`
	Snapshot *int        `json:"snapshot,omitzero"`
	Window   *int        `json:"window,omitzero"` // of profiles of stacks
	At       *model.Time `json:"at_us,omitzero"`
	From     *model.Time `json:"from_us,omitzero"` // only where the side is a range
	To       *model.Time `json:"to_us,omitzero"`
	Unit     string      `json:"unit,omitzero"` // of these times, where they are not microseconds
}

// DiffFigures are the figures of both sides. A change that does not fit 63 bits is at the largest that does.
type DiffFigures struct {
	BeforeBytes uint64 `json:"before_bytes"`
	AfterBytes  uint64 `json:"after_bytes"`
	DeltaBytes  int64  `json:"delta_bytes"`
	BeforeCount uint64 `json:"before_count"`
	AfterCount  uint64 `json:"after_count"`
	DeltaCount  int64  `json:"delta_count"`
}

// DiffTotals are the figures of both sides in all.
type DiffTotals struct {
	DiffFigures
	Error *uint64 `json:"delta_error_bytes,omitzero"` // by how much DeltaBytes may be off by sampling, nil if that is not known
}

// DiffAmounts are the figures of a row: a lower bound is not among the members of exact figures.
type DiffAmounts []RowFigures

// RowFigures are the figures of a row of both sides.
type RowFigures struct {
	DiffFigures
	AtLeast [2]bool // the bytes before and after are lower bounds
	Change  diff.Certainty
	Sign    string // of Change
	bounds  bool   // rows of the comparison may have lower bounds

	Error  uint64 // by how much DeltaBytes may be off by sampling
	Became string // what became of the row, for people
	errors bool   // rows of the comparison have errors
}

// Figures returns the figures of a row.
func (r *DiffRow) Figures() *RowFigures { return &r.DiffAmounts[0] }

// Members implements [object.Membered].
func (a DiffAmounts) Members() []object.Member {
	if len(a) == 0 { // there are no rows, but columns
		a = DiffAmounts{{}}
	}
	f := &a[0]
	exact, least := f.Change == diff.CertainChange, f.Change == diff.LeastChange
	list := []object.Member{{Name: "before_bytes", Value: only(!f.AtLeast[0], &f.BeforeBytes)},
		{Name: "after_bytes", Value: only(!f.AtLeast[1], &f.AfterBytes)}, {Name: "delta_bytes", Value: only(exact, &f.DeltaBytes)},
		{Name: "before_count", Value: &f.BeforeCount}, {Name: "after_count", Value: &f.AfterCount},
		{Name: "delta_count", Value: &f.DeltaCount}}
	if f.errors {
		list = slices.Insert(list, 3, object.Member{Name: "delta_error_bytes", Value: &f.Error})
	}
	if f.bounds {
		list = append(list, object.Member{Name: "before_at_least", Value: only(f.AtLeast[0], &f.BeforeBytes)},
			object.Member{Name: "after_at_least", Value: only(f.AtLeast[1], &f.AfterBytes)},
			object.Member{Name: "delta_at_least", Value: only(least, &f.DeltaBytes)})
	}
	return list
}

// only returns v, nil unless it holds.
func only[T any](holds bool, v *T) *T {
	if !holds {
		return nil
	}
	return v
}

// figures returns the figures of a row, nil for how rows look that have none.
func (d *Diff) figures(r *diff.Row) DiffAmounts {
	out := RowFigures{bounds: d.What != "dominator" && *d.Metric == diff.HeapRetained.String(), errors: d.compared.Errors}
	if r != nil {
		out.Error, out.Became = r.Error, r.Became()
		out.DiffFigures, out.AtLeast, out.Change, out.Sign = newFigures(&r.Figures), r.AtLeast, r.Certainty(), r.Sign()
	}
	return DiffAmounts{out}
}

// DiffRow is what is matched by Key on both sides.
type DiffRow struct {
	Key  string  `json:"key"`
	Type *string `json:"type,omitzero"` // of heap snapshots
	members.Places
	DiffAmounts
	Status  string   `json:"status"`                 // "new", "gone", "grown", "shrunk", "same", "unknown"
	Percent *float64 `json:"delta_percent,omitzero"` // of the bytes before, nil where there were none, or not all is known
	DiffPlace

	// For page layouts: the changes of bits, page by page; not in CSV.
	NewlyOccupied *uint64 `json:"newly_occupied_bits,omitzero" csv:"-"`
	NewlyFree     *uint64 `json:"newly_free_bits,omitzero" csv:"-"`
	SameOccupied  *uint64 `json:"same_occupied_bits,omitzero" csv:"-"`

	// For dominators; not in CSV. Those that moved had another dominator before: known where the format identifies
	// objects.
	Row   *model.Row `json:"row,omitzero" csv:"-"` // of after, that retains most
	Moved *uint64    `json:"moved_count,omitzero" csv:"-"`
	Taken *uint64    `json:"taken_bytes,omitzero" csv:"-"` // retained by objects directly below that another one dominated before
	DiffObjects

	frames places.Frames // of stacks
}

// DiffObjects are the numbers of objects of a type, where these have identities: there are one or none.
type DiffObjects []ObjectCounts

// ObjectCounts are the numbers of objects that only the side after has, that both sides have, and that only the side
// before has.
type ObjectCounts struct{ New, Kept, Gone uint64 }

// Members implements [object.Membered].
func (o DiffObjects) Members() []object.Member {
	if len(o) == 0 {
		return nil
	}
	return []object.Member{{Name: "new_count", Value: &o[0].New}, {Name: "kept_count", Value: &o[0].Kept},
		{Name: "gone_count", Value: &o[0].Gone}}
}

// Frames returns the stack of a row, or the zero Frames if the row is not a stack.
func (r *DiffRow) Frames() places.Frames { return r.frames }

// DiffNormal is the normalization: figures of before are those of its file × Factor.
type DiffNormal struct {
	By     string  `json:"by"`
	Before uint64  `json:"before"`
	After  uint64  `json:"after"`
	Factor float64 `json:"factor"`
}

// DiffStatuses counts rows.
type DiffStatuses struct {
	New     int `json:"new"`
	Gone    int `json:"gone"`
	Grown   int `json:"grown"`
	Shrunk  int `json:"shrunk"`
	Same    int `json:"same"`
	Unknown int `json:"unknown,omitzero"` // lower bounds do not determine their change
}

// DiffPair is something about each side.
type DiffPair[T any] struct {
	Before T `json:"before"`
	After  T `json:"after"`
}

// DiffSum sums up rows.
type DiffSum struct {
	Rows    int    `json:"rows"`
	Bytes   uint64 `json:"bytes"`
	Count   uint64 `json:"count"`
	AtLeast bool   `json:"at_least,omitzero"` // bytes is a lower bound
}

// DiffSource is the input of one side.
type DiffSource struct {
	Profile  *model.Profile
	DiffSide      // its file is filled in
	Partial  bool // the snapshot or layout is incomplete

	Estimates bool            // figures of stacks are
	Problems  []model.Problem // of the layout alone
}

// Label returns the side in words, not cleaned.
func (s *DiffSource) Label() string {
	s.File = NewHeader(schemaDiff, s.Profile).File
	return s.Text()
}

// DiffOptions say what a comparison is about.
type DiffOptions struct {
	Before, After DiffSource      // as the user named them
	Event         string          // of profiles of stacks, "" for none
	Metric        string          // what the fields of bytes hold
	Unit          string          // of Metric, as the files state it
	Measure       string          // the same in words; "" is Metric
	Counted       string          // what the fields of counts hold, plural; "" for nothing
	What          string          // what a row is, singular
	By            *model.HeapAxis // of groups of objects other than types: what they are grouped by, with the key What
	Match         diff.FrameMatch
	Libraries     *regexp.Regexp // functions and files that own no memory, in addition to the built-in ones; may be nil
	Masks         []diff.Mask
	Cell          analysis.Cell            // the stacks and blocks that both sides were narrowed to
	Only          []diff.ChangeStatus      // statuses of the rows to list, none for all
	Grown         bool                     // list only rows that certainly have more bytes, or as many in more things
	Limit         int                      // rows, 0 for all
	Layouts       *pages.LayoutChange      // of page layouts, in the order of the comparison
	Places        []heapgraph.GrownSubtree // of dominators, by row of both sides
	Notes         []string                 // on how rows are matched
	Suspects      []suspects.Suspect       // of heap snapshots: of the one after
	Short         *model.Problem           // rows did not fit into memory and sides are sums; nil if they did
}

// NewDiff returns the report of a comparison.
func NewDiff(c *diff.Comparison, opt DiffOptions) *Diff {
	before, after := opt.Before, opt.After
	if c.Swapped {
		before, after = after, before
	}
	d := newDiff(&before, &after)
	d.compared, d.Swapped, d.What, d.unit = c, c.Swapped, opt.What, opt.Unit
	if d.Metric = &opt.Metric; opt.Event != "" {
		d.Event = &opt.Event
	}
	if c.Joined != nil {
		match := opt.Match.String()
		d.Match = &match
	}
	for _, m := range opt.Masks {
		d.Masks = append(d.Masks, m.String())
	}
	d.Filters, d.Remarks = FilterLines(opt.Cell), opt.Notes
	d.by = opt.By
	d.words = diff.Words{Measure: opt.Measure, Counted: opt.Counted, Thing: opt.What}
	if d.by != nil {
		d.words.Thing, d.words.Things = d.by.One, d.by.Many
	}
	if d.words.Measure == "" {
		d.words.Measure = model.Clean(opt.Metric)
	}
	if opt.Places != nil {
		d.words.Unknown = diff.UnknownPlaces
	}
	if opt.What == "type" {
		d.axis = cmp.Or(distinct(after.Profile), distinct(before.Profile))
	}
	if opt.Short != nil {
		d.words.Sums, d.left = true, leftOut{"rows", "row_count", "match", "statuses", "unmatched", "nameless", "merged"}
		d.Problems, d.Complete = append(d.Problems, newProblem(*opt.Short)), false
	}
	d.sums(c)
	d.list(c, opt)
	d.suspects(opt.Suspects)
	style := d.style(cells.Style{})
	d.Summary, d.Direction = d.Sentence(style), c.Direction()
	return d
}

// suspects notes those that grew.
func (d *Diff) suspects(list []suspects.Suspect) {
	for i := range list {
		if s := &list[i]; s.Verdict == suspects.Grows {
			d.Suspects = append(d.Suspects, suspect.New(s))
			d.Suspects[len(d.Suspects)-1].Evidence = s.Change()
		}
	}
}

func newDiff(before, after *DiffSource) *Diff {
	h := NewHeader(schemaDiff, after.Profile)
	old := NewHeader(schemaDiff, before.Profile)
	before.File, after.File = old.File, h.File
	before.File.weighed, after.File.weighed = before.Estimates, after.Estimates
	d := &Diff{Header: h, Before: before.DiffSide, After: after.DiffSide, Rows: []DiffRow{}}
	d.Time.At, d.Time.From, d.Time.To = after.At, after.From, after.To
	if before.Profile.Meta.Path != after.Profile.Meta.Path {
		d.Complete = d.Complete && old.Complete
		d.LostBytes += old.LostBytes
		for _, p := range old.Problems {
			p.Message = old.File.Name + ": " + p.Message
			d.Problems = append(d.Problems, p)
		}
	}
	for _, side := range []*DiffSource{before, after} {
		d.Complete = d.Complete && !side.Partial
		for _, p := range side.Problems {
			d.Problems = append(d.Problems, newProblem(p))
			d.Complete = d.Complete && p.Severity != model.Error && p.Code != model.CodeMemory
		}
	}
	return d
}

func (d *Diff) sums(c *diff.Comparison) {
	d.Totals = DiffTotals{newFigures(&c.Totals), only(c.Errors, &c.TotalError)}
	d.Within = only(c.Errors, &c.Within)
	n := &c.Counts
	d.Statuses = DiffStatuses{
		n[diff.ChangeNew], n[diff.ChangeGone], n[diff.ChangeGrown], n[diff.ChangeShrunk], n[diff.ChangeSame], n[diff.ChangeUnknown],
	}
	d.Unmatched = DiffPair[DiffSum]{DiffSum(c.Unmatched[0]), DiffSum(c.Unmatched[1])}
	d.Nameless = DiffPair[DiffSum]{DiffSum(c.Nameless[0]), DiffSum(c.Nameless[1])}
	d.Merged, d.LeftOut = DiffPair[int]{c.Merged[0], c.Merged[1]}, c.Unknown
	if c.Per != diff.NormalNone {
		d.Normalized = &DiffNormal{c.Per.String(), c.Bases[0], c.Bases[1], c.Factor()}
	}
}

func newFigures(f *diff.Figures) DiffFigures {
	return DiffFigures{
		BeforeBytes: f.BeforeBytes, AfterBytes: f.AfterBytes, DeltaBytes: f.DeltaBytes(),
		BeforeCount: f.BeforeCount, AfterCount: f.AfterCount, DeltaCount: f.DeltaCount(),
	}
}

func (d *Diff) list(c *diff.Comparison, opt DiffOptions) {
	rows := c.Rows
	if len(opt.Only) > 0 {
		rows = c.Only(opt.Only...)
		for _, s := range opt.Only {
			d.Only = append(d.Only, s.String())
		}
	}
	if opt.Grown {
		rows = slices.DeleteFunc(slices.Clone(rows), func(r diff.Row) bool {
			return r.Certainty() == diff.UnknownChange || r.Within() || r.AfterBytes < r.BeforeBytes ||
				r.AfterBytes == r.BeforeBytes && r.AfterCount <= r.BeforeCount
		})
	}
	d.Count = len(rows)
	added := c.Added()
	var owners *calltree.Owners
	if c.Joined != nil {
		owners = calltree.NewOwners(c.Joined.Stacks, opt.Libraries)
	}
	for i := range limit(rows, opt.Limit) {
		r := &rows[i]
		out := DiffRow{Key: r.Key, DiffAmounts: d.figures(r), Status: r.Status.String(), Places: d.places(), DiffPlace: d.stackPlace()}
		if p, ok := r.Percent(); ok && r.BeforeBytes > 0 && r.Certainty() == diff.CertainChange {
			p = math.Round(p*100) / 100
			out.Percent = &p
		}
		switch {
		case r.Node != 0:
			out.frames = places.Frames{Stacks: c.Joined.Stacks, Leaf: r.Node}
			out.Key = out.frames.Cell()
			out.DiffPlace.set(out.frames, owners)
		case d.by != nil:
			out.Places = members.Places{{Axis: d.by, Text: r.Key}}
		case opt.What == "type":
			out.Type = &r.Key
			if d.axis != nil {
				out.Places = members.Places{{Axis: d.axis, Text: r.Sub}}
				out.Key += " [" + r.Sub + "]"
			}
		case r.Sub != "":
			out.Key += " (" + r.Sub + ")"
		}
		if d.identified() {
			created, kept, gone := r.Objects()
			out.DiffObjects = DiffObjects{{created, kept, gone}}
		}
		if l := opt.Layouts; l != nil && len(l.Types) == len(c.Rows) { // no types fell together
			t := &l.Types[diff.TypeIndex(r, added, len(c.Before.Rows))]
			out.NewlyOccupied, out.NewlyFree, out.SameOccupied = &t.NewlyOccupied, &t.NewlyFree, &t.SameOccupied
		}
		if len(opt.Places) > 0 {
			out.place(&opt.Places[max(r.Row[0], r.Row[1])])
		}
		d.Rows = append(d.Rows, out)
	}
}

// place fills in what is known of a place in two dominator trees.
func (r *DiffRow) place(p *heapgraph.GrownSubtree) {
	r.Row = &p.Row
	if n := uint64(p.Moved); n > 0 {
		r.Moved = &n
	}
	if p.Taken > 0 {
		r.Taken = &p.TakenBytes
	}
}

// distinct returns the axis that distinguishes types of one name in the snapshots of a file, nil where there is none.
func distinct(p *model.Profile) *model.HeapAxis {
	if p == nil || p.Heaps == nil {
		return nil
	}
	s := p.Heaps.Schema()
	if s.Distinct() == 0 {
		return nil
	}
	return &s.Axes[s.Distinct()]
}

// places returns the names of the columns of rows that are about types.
func (d *Diff) places() members.Places {
	switch {
	case d.by != nil:
		return members.Places{{Axis: d.by}}
	case d.axis != nil:
		return members.Places{{Axis: d.axis}}
	case d.What != "type":
		return members.Places{{Axis: &members.None}}
	}
	return nil
}

// DiffPlace is where the stack of a row allocates, as rows of sites have it: members "function", "file" and "line" of
// its leaf, and the "owner". It is nil for rows that are no stacks.
type DiffPlace []diffPlace

type diffPlace struct {
	places.Place
	owner *string
}

// Members implements [object.Membered].
func (p DiffPlace) Members() (list []object.Member) {
	for i := range p {
		list = append(list, object.Member{Name: "function", Value: p[i].Function},
			object.Member{Name: "file", Value: p[i].File}, object.Member{Name: "line", Value: p[i].Line},
			object.Member{Name: "owner", Value: p[i].owner})
	}
	return list
}

// stackPlace returns the place of a row of stacks, which is not known yet.
func (d *Diff) stackPlace() DiffPlace {
	if d.What == "stack" {
		return DiffPlace{{}}
	}
	return nil
}

func (p DiffPlace) set(f places.Frames, owners *calltree.Owners) {
	if len(p) == 0 || f.Depth() == 0 {
		return
	}
	p[0].Place, p[0].owner = f.Place(0), places.Of(f.Stacks, f.Stacks.Frame[owners.Node(f.Leaf)]).Function
}
