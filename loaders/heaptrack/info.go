package heaptrack

import (
	"context"
	"fmt"
	"strings"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// bytesPerEvent is the approximate number of bytes of a file per event.
const bytesPerEvent = 18

func info(ctx context.Context, src *loaders.Source, _ loaders.Options) (*model.Profile, error) {
	o := &opening{src: src, c: newConverter(ctx, src)}
	o.c.begin()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &model.Profile{Meta: o.meta(), Problems: o.c.found.list, Lost: o.c.found.lost}, nil
}

// meta returns what is known about the file. The converter's lock is held.
func (o *opening) meta() model.Meta {
	h := &o.c.head
	m := model.Meta{
		Path: o.src.Path(), Name: o.src.Name(), Format: formatName, Version: h.version,
		Size: o.src.StoredSize(), Outer: o.src.Outer(),
		InventedAddresses: h.form == interpreted && h.stated, CoarseTimes: true, NoThreads: true, RecordsFrees: true,
		FrameNote: "root first: as the format says",
	}
	text := func(key, label, value string) {
		if value != "" {
			m.Facts = append(m.Facts, model.Fact{Key: key, Label: label, Value: value})
		}
	}
	number := func(key, label, value string, n uint64) {
		if n > 0 && n < 1<<62 {
			m.Facts = append(m.Facts, model.Fact{Key: key, Label: label, Value: value, Int: int64(n), HasInt: true})
		}
	}
	text("recording", "Recording", [...]string{"", "raw", "interpreted"}[h.form])
	if h.tool > 0 {
		text("written_by", "Written by", toolName(h.tool))
	}
	text("command", "Command", h.command)
	text("executable", "Executable", h.executable)
	number("page_size", "Page size", model.Bytes(int64(h.page)).String(), h.page)
	if h.pages > 0 && h.pages < 1<<31 {
		number("machine_memory", "Memory of the machine", model.Bytes(int64(h.page*h.pages)).String(), h.page*h.pages)
	}
	if h.attached {
		text("attached", "Attached", "to a running program")
	}
	if n := len(h.suppressions); n > 0 {
		list := strings.Join(h.suppressions, ", ")
		if h.unkept > 0 {
			list += fmt.Sprintf(", and %s more", model.Group(uint64(h.unkept)))
		}
		text("suppressions", "Suppressions", list)
	}
	if total := o.src.Size(); total > 0 {
		number("estimated_events", "Events, about", model.Group(uint64(total/bytesPerEvent)), uint64(total/bytesPerEvent))
	}
	return m
}

// toolName renders a version of heaptrack, two digits each: 10400 is 1.4.0.
func toolName(v uint64) string {
	return fmt.Sprintf("heaptrack %x.%x.%x", v>>16, v>>8&0xff, v&0xff)
}
