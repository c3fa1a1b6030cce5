package v8heap

import (
	"strconv"
	"strings"

	"github.com/memtui/memtui/model"
)

// link sets the references of rows. Dangling ones are removed.
func (d *decoding) link() error {
	sum, short := uint64(0), false
	for r := 1; r < len(d.start); r++ {
		if err := d.pause(r); err != nil {
			return err
		}
		sum += uint64(d.start[r])
		if sum > uint64(len(d.to)) {
			sum, short = uint64(len(d.to)), true
		}
		d.start[r] = uint32(sum)
	}
	at := d.offset("edges")
	switch {
	case short && !d.truncated:
		d.problem(model.Error, "edge-count", at, 1, "the nodes claim more edges than the file has: the last nodes have none")
	case sum < uint64(len(d.to)) && !d.truncated:
		d.problem(model.Error, "edge-count", at, int64(uint64(len(d.to))-sum), "edges belong to no node")
	}
	d.to, d.label = d.to[:sum], d.label[:sum]
	if d.dangling.Load() > 0 {
		if err := d.drop(); err != nil {
			return err
		}
	}
	d.h.Start, d.h.To, d.h.Label = model.Column[model.Ref]{Narrow: d.start}, model.Column[model.Row]{Narrow: d.to}, d.label
	d.h.LargeIndex = d.large
	return nil
}

// drop removes dangling references.
func (d *decoding) drop() error {
	first, n := uint32(0), uint32(0)
	large := d.large
	d.large = nil
	for r := 0; r+1 < len(d.start); r++ {
		if err := d.pause(r); err != nil {
			return err
		}
		end := d.start[r+1]
		d.start[r] = n
		for e := first; e < end; e++ {
			if d.to[e] == noRow {
				continue
			}
			if i, ok := large[model.Ref(e)]; ok && d.label[e].Form() == model.LabelLarge {
				if d.large == nil {
					d.large = map[model.Ref]uint64{}
				}
				d.large[model.Ref(n)] = i
			}
			d.to[n], d.label[n] = d.to[e], d.label[e]
			n++
		}
		first = end
	}
	d.start[len(d.start)-1] = n
	d.to, d.label = d.to[:n], d.label[:n]
	return nil
}

// offset returns where a section begins.
func (d *decoding) offset(name string) int64 {
	if s := d.sections[name]; s != nil {
		return s.from
	}
	return model.NoOffset
}

// out returns the references of a row.
func (d *decoding) out(r uint32) (from, end uint32) { return d.start[r], d.start[r+1] }

// pause checks the context at intervals.
func (d *decoding) pause(r int) error {
	if r%(1<<16) == 0 {
		return d.ctx.Err()
	}
	return nil
}

// relabel changes the kind of a reference.
func (d *decoding) relabel(e uint32, kind model.HeapEdgeKind) {
	l := d.label[e]
	if l.Form() == model.LabelLarge {
		base, _ := schema.Label(kind, model.LabelLarge, 0)
		d.label[e] = base
		return
	}
	d.label[e], _ = schema.Label(kind, l.Form(), uint64(schema.LabelValue(l)))
}

// classify finds the references that policies leave out.
func (d *decoding) classify() error {
	if d.h.Len() == 0 {
		return nil
	}
	page := d.page()
	tables := d.weakMaps()
	for r := range d.h.Kinds {
		if err := d.pause(r); err != nil {
			return err
		}
		from, end := d.out(uint32(r))
		for e := from; e < end; e++ {
			switch kind := schema.LabelKind(d.label[e]); {
			case kind == edgeWeak:
			case kind == edgeShortcut && r > 0:
				d.relabel(e, edgeInner)
			case d.to[e] == uint32(r):
				d.relabel(e, edgeSelf)
			case kind == edgeInternal && tables.of(d.label[e]) == d.h.IDs[r] && d.h.IDs[r] != 0:
				d.relabel(e, edgeTable)
			case r > 0 && page.has(d.to[e]) && !page.has(uint32(r)):
				d.relabel(e, edgeOutside)
			}
		}
	}
	return nil
}

// rowSet is a set of rows.
type rowSet []uint64

func (s rowSet) has(r uint32) bool { return s[r>>6]>>(r&63)&1 != 0 }

func (s rowSet) add(r uint32) bool {
	if s.has(r) {
		return false
	}
	s[r>>6] |= 1 << (r & 63)
	return true
}

// page returns the rows reachable from the program's globals: the targets of the root's shortcuts, and its trees of
// documents.
func (d *decoding) page() rowSet {
	seen := make(rowSet, (d.h.Len()+63)/64)
	var queue []uint32
	from, end := d.out(0)
	for e := from; e < end; e++ {
		kind, t := schema.LabelKind(d.label[e]), d.to[e]
		if kind == edgeShortcut || kind == edgeElement && d.name(t) == "(Document DOM trees)" {
			if seen.add(t) {
				queue = append(queue, t)
			}
		}
	}
	for n := 0; len(queue) > 0; n++ {
		if d.pause(n) != nil {
			break
		}
		r := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		from, end := d.out(r)
		for e := from; e < end; e++ {
			if schema.LabelKind(d.label[e]) != edgeWeak && seen.add(d.to[e]) {
				queue = append(queue, d.to[e])
			}
		}
	}
	return seen
}

// name returns the name of a row, "" if it is missing.
func (d *decoding) name(r uint32) string { return d.text(d.h.Names[r]) }

func (d *decoding) text(i uint32) string {
	n := d.texts.Len()
	switch {
	case int(i) < n:
		return d.texts.At(int(i))
	case int(i)-n < len(d.more):
		return d.more[int(i)-n]
	}
	return ""
}

func (d *decoding) numTexts() int { return d.texts.Len() + len(d.more) }

// weakTables are the tables of WeakMaps by the names of references that speak of their pairs.
type weakTables struct {
	names rowSet // of strings
	ids   map[uint32]uint64
}

func (w *weakTables) of(l model.EdgeLabel) uint64 {
	i := schema.LabelValue(l)
	if l.Form() != model.LabelString || int(i>>6) >= len(w.names) || !w.names.has(i) {
		return 0
	}
	return w.ids[i]
}

// weakMaps finds the names "7 / part of key (…) -> value (…) pair in WeakMap (table @9)".
func (d *decoding) weakMaps() *weakTables {
	w := &weakTables{names: make(rowSet, (d.numTexts()+63)/64), ids: map[uint32]uint64{}}
	for i := range d.texts.Len() {
		s := d.texts.At(i)
		if len(s) == 0 || s[len(s)-1] != ')' || !strings.Contains(s, " / part of key (") {
			continue
		}
		_, rest, ok := strings.Cut(s, " pair in WeakMap (table @")
		if id, err := strconv.ParseUint(strings.TrimSuffix(rest, ")"), 10, 64); ok && err == nil {
			w.names.add(uint32(i))
			w.ids[uint32(i)] = id
		}
	}
	return w
}
