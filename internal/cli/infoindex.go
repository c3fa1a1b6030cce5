package cli

import (
	"fmt"

	"github.com/memtui/memtui/analysis/traceindex"
	"github.com/memtui/memtui/internal/indexcache"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// infoIndex says whether an index is there, and corrects what opening costs if one is.
func (a *app) infoIndex(o *infoObject, src *loaders.Source, p *model.Profile) {
	place, why := a.keeper(src, p.Meta.Format)
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
		o.Index = fmt.Sprintf("%s, not usable and written anew when the file is opened: %s", place.Path, k.Reason)
	case known && events < indexcache.WorthKeeping && !place.Beside:
		o.Index = "none is kept of traces with less than " + model.Group(indexcache.WorthKeeping) + " events; it is built in a moment"
	default:
		o.Index = "none yet; it is kept in " + place.Path + " when the file is opened"
	}
}

// factOf is the number of a fact.
func factOf(p *model.Profile, key string) (n int64, ok bool) {
	for _, f := range p.Meta.Facts {
		if f.Key == key && f.HasInt {
			return f.Int, true
		}
	}
	return 0, false
}

// Rules of thumb for what opening a file with its index costs: reading the metadata.
const (
	reopenBytes   = 2       // of memory per byte of metadata
	reopenBase    = 8 << 20 // bytes of memory
	reopenPerByte = 0.002   // µs
)

// reopening corrects what opening costs.
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
