package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/memtui/memtui/analysis/traceindex"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/uses"
	"github.com/memtui/memtui/internal/indexcache"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

type infoCmd struct {
	Files []string `arg:"" name:"file" help:"Files, or - for standard input."`
}

// infoObject is the result of info about one file.
type infoObject struct {
	report.Header
	Index string     `json:"index"` // in words
	Kept  *infoIndex `json:"index_file,omitzero"`
	Facts []infoFact `json:"facts"`
}

// infoIndex is the location and state of a trace's index.
type infoIndex struct {
	Path    string `json:"path"`
	Place   string `json:"place"`           // in the cache, or next to the file
	State   string `json:"state"`           // "none", "ready", "stale", "unusable"
	Reason  string `json:"reason,omitzero"` // why it is not ready
	Bytes   *int64 `json:"bytes,omitzero"`
	Version int    `json:"version"` // that this program writes
}

type infoFact struct {
	Key   string `json:"key"`
	Label string `json:"label"`
	Text  string `json:"text"`
	Value *int64 `json:"value,omitzero"` // exact, where it is a number
}

// severalInfos is the object for more than one file.
type severalInfos struct {
	Schema string        `json:"schema"`
	Files  []*infoObject `json:"files"`
}

// Run prints what files are, from their headers only. Files that cannot be used are named, and the others still shown.
func (c *infoCmd) Run(ctx context.Context, a *app) error {
	if err := a.formats("info", "text", "json"); err != nil {
		return err
	}
	var objects []*infoObject
	err := eachFile(c.Files, a.env.Stderr, func(path string) error {
		o, err := a.info(ctx, path)
		if err == nil {
			objects = append(objects, o)
		}
		return err
	})
	switch {
	case a.flags.Format == "text":
		for i, o := range objects {
			if i > 0 {
				fmt.Fprintln(a.out)
			}
			o.text(a.out)
		}
	case len(c.Files) > 1:
		return firstError(report.WriteJSON(a.out, severalInfos{report.SchemaInfo, objects}), err)
	case len(objects) == 1:
		return report.WriteJSON(a.out, objects[0])
	}
	return err
}

// eachFile calls f for every file. The errors of all but the last failing file are printed, and that one is returned.
func eachFile(paths []string, stderr io.Writer, f func(path string) error) error {
	var last error
	for _, path := range paths {
		if err := f(path); err != nil {
			if last != nil {
				fmt.Fprintln(stderr, "memtui: "+model.Clean(last.Error()))
			}
			last = err
		}
	}
	return last
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (a *app) info(ctx context.Context, path string) (*infoObject, error) {
	src, format, err := a.source(ctx, path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	if err := uses.Fits(a.parsed, a.inputs(), uses.Input{Name: src.Name(), Path: src.Path(), Format: format}); err != nil {
		return nil, fail.Usage(err)
	}
	var p *model.Profile
	err = src.Guard(func() error {
		p, err = format.Info(ctx, src, a.loading())
		return err
	})
	if err != nil {
		return nil, fail.Input(err)
	}
	o := &infoObject{Header: report.NewHeader(report.SchemaInfo, p)}
	a.infoIndex(o, src, format, p)
	if src.Piped() && src.Size() < 0 {
		o.File.Bytes = 0 // of a pipe the size so far is meaningless
	}
	o.Complete = !model.HasError(p.Problems) // as far as headers tell
	for _, f := range p.Meta.Facts {
		fact := infoFact{Key: f.Key, Label: f.Label, Text: f.Value}
		if f.HasInt {
			fact.Value = &f.Int
		}
		o.Facts = append(o.Facts, fact)
	}
	return o, nil
}

func (o *infoObject) text(w io.Writer) {
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

// infoIndex adds the state of the index, and corrects the cost of opening if there is one.
func (a *app) infoIndex(o *infoObject, src *loaders.Source, format loaders.Format, p *model.Profile) {
	place, why := a.keeper(src, format)
	if place == nil {
		o.Index = why
		return
	}
	state, size, err := place.State()
	k := &infoIndex{Path: place.Path, Place: place.Where(), State: state, Version: traceindex.IndexVersion}
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
