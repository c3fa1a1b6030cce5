package suspects

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// keptFormat is that of files with suspects. Its version rises when others would be found.
var keptFormat = sections.Format{Magic: "memtui.suspects\n", Version: 6}

// keptSuspect is a suspect as stored in JSON: texts may be any bytes.
type keptSuspect struct {
	Suspect
	Texts  [5][]byte
	Exact  bool
	Course []keptMoment
	Grown  uint64

	Held, HeldBytes, Of       uint64
	Owners, First             int
	OwnerOne, Linked, Runtime bool
}

type keptMoment struct {
	Snapshot     int
	Count, Bytes uint64
}

// texts returns the fields that have bytes of the file.
func (s *Suspect) texts() [5]*string {
	return [5]*string{&s.Name, &s.sub, &s.Owner, &s.Through, &s.top}
}

// restore returns what an earlier run has found in a snapshot; ok is false if that is not kept.
func restore(ctx context.Context, h *model.Heap, name string) (list []Suspect, ok bool) {
	var text []byte
	read := func(f *sections.Codec) { sections.Array(f, "suspects", &text) }
	var kept []keptSuspect
	if keptFormat.Restore(ctx, h.Kept, name, sections.Layout(read), read) == nil || json.Unmarshal(text, &kept) != nil {
		return nil, false
	}
	for i := range kept {
		s := &kept[i].Suspect
		for n, to := range s.texts() {
			*to = string(kept[i].Texts[n])
		}
		s.Schema, s.exact, s.grown = h.Schema, kept[i].Exact, kept[i].Grown
		s.heldCount, s.heldBytes, s.of = kept[i].Held, kept[i].HeldBytes, kept[i].Of
		s.owners, s.first = kept[i].Owners, kept[i].First
		s.ownerOne, s.linked, s.runtime = kept[i].OwnerOne, kept[i].Linked, kept[i].Runtime
		for _, m := range kept[i].Course {
			s.course = append(s.course, moment{m.Snapshot, figures{m.Count, m.Bytes}})
		}
		list = append(list, *s)
	}
	return list, true
}

// keep writes what was found for the next run, if the snapshot is kept as well.
func keep(h *model.Heap, name string, list []Suspect) {
	kept := make([]keptSuspect, 0, len(list))
	for i := range list {
		k := keptSuspect{Suspect: list[i], Exact: list[i].exact, Grown: list[i].grown,
			Held: list[i].heldCount, HeldBytes: list[i].heldBytes, Of: list[i].of,
			Owners: list[i].owners, First: list[i].first,
			OwnerOne: list[i].ownerOne, Linked: list[i].linked, Runtime: list[i].runtime}
		k.Suspect.Schema = nil
		for n, from := range list[i].texts() {
			k.Texts[n] = []byte(*from)
		}
		for _, m := range list[i].course {
			k.Course = append(k.Course, keptMoment{m.snapshot, m.count, m.bytes})
		}
		kept = append(kept, k)
	}
	text, err := json.Marshal(kept)
	if err != nil {
		return
	}
	keptFormat.Keep(h.Kept, name, func(f *sections.Codec) { sections.Array(f, "suspects", &text) })
}

// fileOf returns the name of the file for the suspects of a graph, given what is known of other snapshots.
func fileOf(g *heapgraph.Graph, at int, others []Census, limit int) string {
	sum := sha256.New()
	for i := range others {
		others[i].digest(sum)
	}
	name := g.Policy.Of(g.Heap.Schema).Name + "-suspects" + strconv.Itoa(at) + "-" + strconv.Itoa(limit)
	return name + "-" + hex.EncodeToString(sum.Sum(nil)[:8])
}

// digest writes what distinguishes a census from another one.
func (c *Census) digest(w io.Writer) {
	var b []byte
	b = binary.AppendVarint(b, int64(c.snapshot))
	for _, k := range slices.SortedFunc(maps.Keys(c.of), compareKeys) {
		f := c.of[k]
		b = append(append(append(append(b, k.name...), 0), k.sub...), 0)
		b = binary.AppendUvarint(binary.AppendUvarint(binary.AppendVarint(b, int64(k.axis)), f.count), f.bytes)
	}
	b = c.objects.AppendTo(b)
	_, _ = w.Write(b)
}
