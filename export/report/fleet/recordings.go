package fleet

import (
	"io"
	"strings"
	"time"

	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/object"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// Started returns the start of a recording, in microseconds since 1970, as tables have it.
func Started(us int64) string { return time.UnixMicro(us).UTC().Format("2006-01-02 15:04") }

// completeness returns the status of a recording.
func completeness(complete bool) string {
	if complete {
		return ""
	}
	return "cut"
}

func (l *layout) recordings() {
	l.heads("Recordings", cells.Head{Text: titles.Bytes}, cells.Head{Text: titles.Start, Kind: cells.Word},
		cells.Head{Text: titles.Length}, cells.Head{Text: titles.Status, Kind: cells.Word},
		cells.Head{Text: titles.Service, Kind: cells.Symbol},
		cells.Head{Text: titles.Release, Kind: cells.Symbol}, cells.Head{Text: titles.Host, Kind: cells.Symbol},
		cells.Head{Text: titles.File, Kind: cells.Name})
	l.out.Spare = []string{titles.Length, titles.Start}
	for _, x := range l.r.Recordings {
		l.row(4, l.s.Bytes(x.Value), Started(x.Start), model.Time(x.Duration).String(), completeness(x.Complete), model.Clean(x.Service),
			model.Clean(x.Version), model.Clean(x.Host), model.Clean(x.URI))
	}
}

// List is the recordings of a fleet.
type List struct {
	Schema     string   `json:"schema"`
	More       int      `json:"more,omitzero"` // that the limit left out
	Recordings []Listed `json:"recordings"`
}

// Listed is a recording of a fleet.
type Listed struct {
	ID       string  `json:"id"`
	Service  string  `json:"service"`
	Version  string  `json:"version"`
	Host     string  `json:"host"`
	Labels   words   `json:"labels,omitzero"`
	Start    int64   `json:"start_us"` // microseconds since 1970
	Dated    string  `json:"dated_by"` // what says so: recording, user or file
	Duration int64   `json:"duration_us"`
	Format   string  `json:"format"`
	URI      string  `json:"uri"`
	Complete bool    `json:"complete"`
	Sampled  bool    `json:"sampled"`
	Alloc    *uint64 `json:"alloc_bytes,omitzero"`
	Live     *uint64 `json:"live_bytes,omitzero"`
	Peak     *uint64 `json:"peak_bytes,omitzero"`
	Leaked   *uint64 `json:"leaked_bytes,omitzero"`
	Lacks    string  `json:"lacks,omitzero"` // why figures are missing: frees or memory
}

// words are texts, which are one cell of CSV.
type words []string

// Cell returns the texts with blanks between them.
func (w words) Cell() string { return strings.Join(w, " ") }

// NewList returns the list of the first recordings.
func NewList(all []fleet.Recording, limit int) *List {
	l := &List{Schema: "memtui.fleet-list/1", Recordings: []Listed{}}
	if limit > 0 && len(all) > limit {
		all, l.More = all[:limit], len(all)-limit
	}
	for i := range all {
		r := &all[i]
		l.Recordings = append(l.Recordings, Listed{r.ID, r.Service, r.Version, r.Host, r.Labels, r.Start, r.Dated, r.Duration, r.Format,
			r.URI, r.Complete, r.Sampled, r.Alloc, r.Live, r.Peak, r.Leaked, r.Lacks})
	}
	return l
}

// shortID is the number of digits of an id in tables, which are enough to name it.
const shortID = 12

// Write writes the list in a format.
func (l *List) Write(w io.Writer, format string, s cells.Style) error {
	switch format {
	case "json":
		return report.WriteJSON(w, l)
	case "csv":
		return object.WriteRows(w, l.Recordings, nil, object.Estimates{})
	case "markdown":
		m := report.NewMarkdownWriter(w, report.Header{}, s)
		m.Table(l.layout(s))
		return m.Flush()
	}
	t := report.NewTextWriter(w, report.Header{}, s)
	t.Table(fitted(l.layout(s), s))
	return t.Flush()
}

func (l *List) layout(s cells.Style) *cells.Table {
	t := &cells.Table{Heading: "Recordings", Answer: s.Text(model.Counted(len(l.Recordings)+l.More, "recording") + ", the newest first"),
		More: l.More, Spare: []string{titles.File, titles.Peak}}
	t.Heads = []cells.Head{{Text: titles.ID, Kind: cells.Word}, {Text: titles.Start, Kind: cells.Word}, {Text: titles.Leaked},
		{Text: titles.Peak}, {Text: titles.Status, Kind: cells.Word}, {Text: titles.Service, Kind: cells.Symbol},
		{Text: titles.Release, Kind: cells.Symbol}, {Text: titles.Host, Kind: cells.Name}, {Text: titles.File, Kind: cells.Where}}
	figure := func(n *uint64) string {
		if n == nil {
			return ""
		}
		return s.Bytes(*n)
	}
	for i := range l.Recordings {
		r := &l.Recordings[i]
		s.Estimated = r.Sampled
		t.Rows = append(t.Rows, []string{r.ID[:min(shortID, len(r.ID))], Started(r.Start), figure(r.Leaked), figure(r.Peak),
			r.status(), model.Clean(r.Service), model.Clean(r.Version), model.Clean(r.Host), model.Clean(r.URI)})
	}
	return t
}

// status says what is special.
func (r *Listed) status() string {
	switch {
	case !r.Complete:
		return completeness(false)
	case r.Lacks == fleet.LacksFrees:
		return "no FREE"
	case r.Lacks == fleet.LacksMemory:
		return "no memory"
	case r.Sampled:
		return "sampled"
	}
	return ""
}

// Removed is what was taken out of a fleet.
type Removed struct {
	Schema  string   `json:"schema"`
	Only    bool     `json:"dry_run,omitzero"`
	Removed []Listed `json:"removed"`
}

// NewRemoved returns the object about recordings that were removed, or are to be.
func NewRemoved(all []fleet.Recording, only bool) *Removed {
	return &Removed{"memtui.fleet-remove/1", only, NewList(all, 0).Recordings}
}

// Line returns a recording as a line of text.
func (r *Listed) Line() string {
	return r.ID[:min(shortID, len(r.ID))] + "  " + model.Clean(r.Service+"  "+r.Version+"  "+r.Host+"  ") + Started(r.Start)
}
