// Package facts is what info says about a file, from its headers.
package facts

import (
	"fmt"
	"io"

	"github.com/memtui/memtui/analysis/traceindex"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/internal/indexcache"
	"github.com/memtui/memtui/model"
)

// Object is the result of info about one file.
type Object struct {
	report.Header
	Index string `json:"index"` // in words
	Kept  *Index `json:"index_file,omitzero"`
	Facts []Fact `json:"facts"`
}

// Index is the location and state of a trace's index.
type Index struct {
	Path    string `json:"path"`
	Place   string `json:"place"`           // in the cache, or next to the file
	State   string `json:"state"`           // "none", "ready", "stale", "unusable"
	Reason  string `json:"reason,omitzero"` // why it is not ready
	Bytes   *int64 `json:"bytes,omitzero"`
	Version int    `json:"version"` // that this program writes
}

// Fact is what headers say.
type Fact struct {
	Key   string `json:"key"`
	Label string `json:"label"`
	Text  string `json:"text"`
	Value *int64 `json:"value,omitzero"` // exact, where it is a number
}

// Several is the object for more than one file.
type Several struct {
	Schema string    `json:"schema"`
	Files  []*Object `json:"files"`
}

// New returns what is said about a file, without its facts.
func New(p *model.Profile) *Object { return &Object{Header: report.NewHeader(report.SchemaInfo, p)} }

// SetFacts adds the facts.
func (o *Object) SetFacts(p *model.Profile) {
	for _, f := range p.Meta.Facts {
		fact := Fact{Key: f.Key, Label: f.Label, Text: f.Value}
		if f.HasInt {
			fact.Value = &f.Int
		}
		o.Facts = append(o.Facts, fact)
	}
}

// Text writes it as text.
func (o *Object) Text(w io.Writer) {
	line := func(name, value string) { fmt.Fprintf(w, "  %-22s %s\n", model.Clean(name), model.Clean(value)) }
	fmt.Fprintln(w, model.Clean(o.File.Name))
	line("format", o.File.Kind())
	size := "unknown until the input ends"
	if o.File.Bytes > 0 {
		size = fmt.Sprintf("%s (%s)", model.Bytes(o.File.Bytes), model.Bytes(o.File.Bytes).Exact())
	}
	if o.File.Compression != "" {
		size += ", " + o.File.Compression
	}
	line("size", size)
	if s := o.Time.Start; s != nil && *s != 0 {
		line("started", cells.StartTime(*s))
	}
	for _, f := range o.Facts {
		line(f.Label, f.Text)
	}
	line("index", o.Index)
	for _, p := range o.Problems {
		line(p.Severity, p.Message+" ["+p.Code+"]")
	}
}

// SetIndex adds the state of the index at a place, and corrects the cost of opening if there is one. Without a place, why
// says why.
func (o *Object) SetIndex(p *model.Profile, place *indexcache.Place, why string) {
	if place == nil {
		o.Index = why
		return
	}
	state, size, err := place.State()
	k := &Index{Path: place.Path, Place: place.Where(), State: state, Version: traceindex.IndexVersion}
	o.Kept = k
	if state != "none" {
		k.Bytes = &size
	}
	if err != nil {
		k.Reason = err.Error()
	}
	switch events, known := factOf(p, "estimated_events"); {
	case state == "ready":
		o.Index = fmt.Sprintf("%s, %s", place.Path, model.Bytes(size))
		reopening(p)
	case state != "none":
		o.Index = fmt.Sprintf("%s, unusable, rewritten when the file is opened: %s", place.Path, k.Reason)
	case known && events < indexcache.WorthKeeping && !place.NextToInput:
		o.Index = "none is kept for traces with fewer than " + model.Group(indexcache.WorthKeeping) + " events; building it takes a moment"
	case !known && !place.NextToInput:
		o.Index = "none yet; that of a trace with " + model.Group(indexcache.WorthKeeping) +
			" events or more is kept in " + place.Path + " when the file is opened"
	default:
		o.Index = "none yet; it is kept in " + place.Path + " when the file is opened"
	}
}

// factOf returns the number of a fact.
func factOf(p *model.Profile, key string) (n int64, ok bool) {
	for _, f := range p.Meta.Facts {
		if f.Key == key && f.HasInt {
			return f.Int, true
		}
	}
	return 0, false
}

// Rules of thumb for the cost of opening a file with its index: reading the metadata.
const (
	reopenBytes   = 2       // of memory per byte of metadata
	reopenBase    = 8 << 20 // bytes of memory
	reopenPerByte = 0.002   // µs
)

// reopening corrects the cost of opening.
func reopening(p *model.Profile) {
	metadata, _ := factOf(p, "metadata_bytes")
	for i := range p.Meta.Facts {
		switch f := &p.Meta.Facts[i]; f.Key {
		case "estimated_memory_bytes":
			f.Int = metadata*reopenBytes + reopenBase
			f.Value = model.Bytes(f.Int).String()
		case "estimated_open_us":
			f.Int = int64(float64(metadata) * reopenPerByte)
			f.Value = "under 0.1 s"
			if f.Int >= 100_000 {
				f.Value = fmt.Sprintf("%.1f s", float64(f.Int)/1e6)
			}
		}
	}
}
