package mlyze

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// Estimates of the cost of opening a file, measured on real recordings.
const (
	bytesPerEvent  = 13 // of the file
	indexPerEvent  = 4  // bytes of memory
	buildPerEvent  = 64 // bytes of memory while it is built,
	mostToBuild    = 64 << 20
	microsPerEvent = 0.02 // of loading and indexing
	microsPerByte  = 0.002
	memoryPerByte  = 2 // of metadata
)

func info(ctx context.Context, src *loaders.Source, opt loaders.Options) (*model.Profile, error) {
	o, err := begin(ctx, src)
	if err != nil {
		return nil, err
	}
	if o.header.length <= smallMetadata {
		if err := o.readTables(false); err != nil {
			return nil, err
		}
		o.deliver()
		if r := o.recording(opt, nil); r != nil { // which states that in its journal
			if _, err := r.take(ctx); err != nil {
				return nil, err
			}
			stated := recordedBy(r.names)
			o.origin = &stated
			stated.problems(&o.found)
		}
	} else if err := o.readOrigin(); err != nil {
		return nil, err
	}
	return &model.Profile{Meta: o.meta(), Problems: o.found.list, Lost: o.lost}, nil
}

// readOrigin reads how the file was made, which recorders state before the tables. Damage is found when the file is opened.
func (o *opening) readOrigin() error {
	data, err := o.src.Range(o.ctx, headerSize, smallMetadata)
	if err != nil {
		return o.ctx.Err()
	}
	err = o.src.Guard(func() error {
		o.origin = &parseMetadata(o.ctx, data, headerSize, &findings{}, o.src.Budget()).recorded
		return nil
	})
	if err == nil {
		o.origin.problems(&o.found)
	}
	return o.ctx.Err()
}

// meta returns what is known from headers and, if read, the metadata.
func (o *opening) meta() model.Meta {
	m := model.Meta{
		Path: o.src.Path(), Name: o.src.Name(), Format: formatName, Version: int(o.header.version),
		Size: o.src.StoredSize(), Outer: o.src.Outer(), Start: o.header.start, HasStart: true,
	}
	if o.src.Growing() {
		m.Live = "live"
	}
	fact := func(key, label string, n int64) {
		m.Facts = append(m.Facts, model.Fact{Key: key, Label: label, Value: model.Group(uint64(n)), Int: n, HasInt: true})
	}
	size := func(key, label string, n int64) {
		m.Facts = append(m.Facts, model.Fact{Key: key, Label: label, Value: model.Bytes(n).String(), Int: n, HasInt: true})
	}
	size("metadata_bytes", "Metadata", o.header.length)
	if total := o.src.Size(); total >= o.trace.begin {
		events := (total - o.trace.begin) / bytesPerEvent
		micros := int64(float64(events)*microsPerEvent + float64(o.header.length)*microsPerByte)
		size("event_bytes", "Events take", total-o.trace.begin)
		fact("estimated_events", "Events, about", events)
		memory := events*indexPerEvent + min(events*buildPerEvent, mostToBuild) + o.header.length*memoryPerByte
		size("estimated_memory_bytes", "Memory to open, about", memory)
		m.Facts = append(m.Facts, model.Fact{
			Key: "estimated_open_us", Label: "Time to open, about", Value: openTime(micros), Int: micros, HasInt: true,
		})
	}
	if k := o.kept; k != nil {
		m.Sampling, m.RecordsFrees = k.Sampling, k.RecordsFrees
		m.Facts, m.Sampled, m.InventedAddresses, m.CoarseTimes, m.NoThreads = k.Facts, k.Sampled, k.Invented, k.Coarse, k.NoThreads
	} else if t := o.tables; t != nil {
		stacks, functions, files := len(t.stacks), len(t.funcs.index), len(t.files.index)
		if k := o.named; k != nil {
			stacks, functions, files = k.count, len(k.functions)-1, len(k.files)-1
		}
		fact("stacks", "Stacks", int64(stacks))
		fact("functions", "Function names", int64(functions))
		fact("files", "File names", int64(files))
		t.recorded.describe(&m)
		if t.empty() {
			m.Facts = append(m.Facts, model.Fact{Key: "tables", Label: "Tables", Value: "empty: the names of stacks and markers are lost"})
		}
	}
	if o.origin != nil {
		o.origin.describe(&m)
	}
	if o.trace.batched {
		m.Facts = append(m.Facts, model.Fact{Key: "deltas", Label: "Times",
			Value: "one per batch of events, as the reference tracer writes them"})
	}
	return m
}

func openTime(micros int64) string {
	if micros < 100_000 {
		return "under 0.1 s"
	}
	d := time.Duration(micros) * time.Microsecond
	if d < 10*time.Second {
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	}
	return fmt.Sprintf("%d s", int64(d.Seconds()))
}
