package spaa

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

var errEnough = errors.New("headers are read")

// info reads the first block only.
func info(ctx context.Context, src *loaders.Source, _ loaders.Options) (*model.Profile, error) {
	b := newBuilder(src, false)
	defer b.free()
	err := each(ctx, src, false, func(k *block) error {
		if err := b.merge(k); err != nil {
			return err
		}
		if !b.empty() {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) && !b.short(err) {
		return nil, err
	}
	if b.empty() {
		return nil, b.refuse()
	}
	meta := b.meta()
	if src.Size() > firstBlock || src.Size() < 0 {
		meta.Facts = append(meta.Facts, b.cost()...)
	} else {
		meta.Facts = append(meta.Facts, b.counts()...)
	}
	return &model.Profile{Meta: meta, Problems: b.found.list(), Lost: b.lost}, nil
}

// meta returns what the header states.
func (b *builder) meta() model.Meta {
	m := model.Meta{Path: b.src.Path(), Name: b.src.Name(), Format: formatName, Version: 1, Size: b.src.StoredSize(), Outer: b.src.Outer()}
	h := b.header
	if h == nil {
		return m
	}
	add := func(key, label, value string) {
		if value != "" {
			m.Facts = append(m.Facts, model.Fact{Key: key, Label: label, Value: value})
		}
	}
	add("source_tool", "Recorded by", strings.TrimSpace(h.tool+" "+h.toolVersion))
	add("command", "Command", h.command)
	add("left_out", "Left out", h.leftOut)
	add("frame_order", "Order of frames", h.order)
	add("stack_id_mode", "Ids of stacks", h.idMode)
	m.FrameNote = map[bool]string{true: "leaf first: as the header says", false: "root first: as the header says"}[b.leafFirst]
	var events []string
	for _, e := range h.events {
		events = append(events, e.Name+" ("+e.Kind+", by "+e.PrimaryName+")")
	}
	add("events", "Events", strings.Join(events, ", "))
	if h.hasRange {
		add("time_range", "Time range", strconv.FormatFloat(h.start, 'f', -1, 64)+" to "+strconv.FormatFloat(h.end, 'f', -1, 64)+" "+h.unit)
	}
	return m
}

// counts returns the numbers of records.
func (b *builder) counts() []model.Fact {
	c := b.p.Counts
	return []model.Fact{
		number64("dsos", "DSOs", c.DSOs), number64("frames", "Frames", c.Frames), number64("threads", "Threads", c.Threads),
		number64("stacks", "Stacks", c.Stacks), number64("samples", "Samples", c.Samples), number64("windows", "Windows", c.Windows),
	}
}

func number64(key, label string, n int64) model.Fact {
	return model.Fact{Key: key, Label: label, Value: model.Group(uint64(n)), Int: n, HasInt: true}
}

// cost returns estimates of what opening the complete file takes.
func (b *builder) cost() []model.Fact {
	size := b.src.Size()
	if size < 0 {
		return nil
	}
	// Measured: a fifth of the file, at about half a gigabyte a second, plus a constant for any file.
	memory, us := size/5+16<<20, 10_000+size/500
	return []model.Fact{
		{Key: "estimated_memory_bytes", Label: "Memory to open, about", Value: model.Bytes(memory).String(), Int: memory, HasInt: true},
		{Key: "estimated_open_us", Label: "Time to open, about", Value: model.Time(us).String(), Int: us, HasInt: true},
	}
}
