// Package pick finds what the flags of the command line choose in a profile: a snapshot, an object, a page layout, a
// window, an event, a metric, a grouping.
package pick

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/model"
)

// Snapshot returns the number of the snapshot that the user selects: by number, from the end, or by an instant. The
// default is the last complete one. ok is false if there is none and the user selects none.
func Snapshot(p *model.Profile, asked *int, at model.Moment) (n int, ok bool, err error) {
	count := p.Heaps.Len()
	if asked == nil && at.Given() {
		n, err := snapshotAt(p, at)
		return n, err == nil, err
	}
	if asked == nil {
		n := report.LastCompleteSnapshot(p.Heaps)
		return n, n >= 0, nil
	}
	n = *asked
	if n < 0 {
		n += count
	}
	if n < 0 || n >= count {
		return 0, false, fail.Usage(fmt.Errorf("%s has no snapshot %d: it has %d, counted from 0", p.Meta.Name,
			*asked, count))
	}
	return n, true, nil
}

// snapshotAt returns the last complete snapshot at or before --at. The peak is the largest one.
func snapshotAt(p *model.Profile, moment model.Moment) (int, error) {
	largest, last, most := model.NoTime, model.NoTime, model.NoCount
	for i := range p.Heaps.Len() {
		info := p.Heaps.Info(i)
		last = max(last, info.Time)
		if info.Complete && info.Bytes > most {
			largest, most = info.Time, info.Bytes
		}
	}
	if last == model.NoTime {
		return 0, fail.Usage(fmt.Errorf("--at: %s does not record when its snapshots were taken; use --snapshot", p.Meta.Name))
	}
	at, err := arg.TimeIn(moment, model.Axis{End: last, Peak: largest})
	if err != nil {
		return 0, err
	}
	for i := p.Heaps.Len() - 1; i >= 0; i-- {
		if info := p.Heaps.Info(i); info.Complete && info.Time != model.NoTime && info.Time <= at {
			return i, nil
		}
	}
	return 0, fail.Usage(fmt.Errorf("--at: %s has no complete snapshot up to %s", p.Meta.Name, at))
}

// Edges returns the edge policy that --edges names, the first without it, among those of the file's snapshots.
func Edges(p *model.Profile, name string) (heapgraph.Policy, error) {
	s := p.Heaps.Schema()
	if name == "" {
		return 0, nil
	}
	if i, ok := s.PolicyNamed(name); ok {
		return heapgraph.Policy(i), nil
	}
	var names []string
	for i := range s.Policies {
		names = append(names, s.Policies[i].Name)
	}
	return 0, fail.Usage(fmt.Errorf("--edges: %s has no policy %q; available: %s", p.Meta.Name, name,
		strings.Join(names, ", ")))
}

// Row returns the row that the user gives by its number or its identity.
func Row(h *model.Heap, name string) (model.Row, error) {
	if form := h.Schema.IDs; form.Prefix != "" && strings.HasPrefix(name, form.Prefix) {
		row, ok := h.RowOf(name)
		if !ok {
			return 0, fail.Usage(fmt.Errorf("the snapshot has no object %s", name))
		}
		return row, nil
	}
	n, err := strconv.ParseUint(name, 10, 64)
	switch {
	case err != nil:
		return 0, fail.Usage(notRow(h.Schema, name))
	case n >= uint64(h.Len()):
		return 0, fail.Usage(fmt.Errorf("the snapshot has no object #%d: it has %d, counted from 0", n, h.Len()))
	}
	return model.Row(n), nil
}

// notRow returns the error for an object that is named in another way, as by its type.
func notRow(s *model.HeapSchema, name string) error {
	ways := "number"
	if s.IDs.Prefix != "" {
		ways += " or id, such as " + s.IDs.Prefix + "7f00"
	}
	return fmt.Errorf("%s is not an object: name it by its %s; memtui heap find --type %s FILE lists the objects of a type", model.Clean(name), ways, arg.ShellWord(name))
}

// NoType returns the message that no object has a type of that name, with similar names.
func NoType(name string, like []string) string {
	text := "no object has the type " + model.Clean(name)
	if len(like) > 0 {
		text += ", near: " + model.Clean(strings.Join(like, ", "))
	}
	return text
}

// Roots returns how many rows a type has if all of them are roots that the recorder added, else 0.
func Roots(h *model.Heap, name string) (n int) {
	types, _ := heapgraph.TypesNamed(h, name, 0)
	for r, id := range h.Entity {
		if k := h.Kind(model.Row(r)); types[id] && k.Naming == model.NamedByType {
			if n++; !k.Virtual {
				return 0
			}
		}
	}
	return n
}
