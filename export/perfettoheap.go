package export

import (
	"context"
	"encoding/binary"
	"io"
	"iter"
	"strings"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
)

// Field numbers of the messages of heap graphs.
const (
	graphPID        = 1 // HeapGraph.pid
	graphObject     = 2
	graphFieldName  = 4
	graphContinued  = 5
	graphIndex      = 6
	graphRoot       = 7
	graphType       = 9
	rootObjects     = 1 // HeapGraphRoot.object_ids
	graphTypeID     = 1 // HeapGraphType.id
	graphTypeName   = 3
	objectID        = 1 // HeapGraphObject.id
	objectType      = 2
	objectSize      = 3
	objectFieldName = 4 // reference_field_id
	objectTarget    = 5 // reference_object_id
)

// PerfettoHeap writes a snapshot for Perfetto, as a graph of objects at a time: an object for each row, with the number
// of the row plus one. References that keep nothing alive are left out. Names of rows are
// those of their types; contents of strings are not written.
func PerfettoHeap(ctx context.Context, w io.Writer, p *model.Profile, h *model.Heap, holding heapgraph.Holding,
	t model.Time) ([]Loss, error) {
	o := &perfettoHeap{perfetto: newPerfetto(ctx, w, p), h: h, holding: holding, t: t}
	_, v8 := o.h.Schema.PolicyNamed(devToolsPolicy)
	var err error
	if o.names, err = newHeapTexts(ctx, o.h, textStyle{rows: true, marked: !v8}); err != nil {
		return nil, err
	}
	if o.edges, err = newHeapTexts(ctx, o.h, textStyle{edges: true, element: "[]"}); err != nil {
		return nil, err
	}
	return o.write(o.begin, o.root, o.types, o.fields, o.objects)
}

type perfettoHeap struct {
	*perfetto
	h            *model.Heap
	holding      heapgraph.Holding
	t            model.Time
	names, edges *heapTexts
	index        uint64 // of the next packet of the graph
	held         []bool // by reference of a row
}

// part writes packets with n entries of the graph, which fill appends. last reports that the graph ends with them.
func (o *perfettoHeap) part(n int, last bool, fill func(b []byte, i int) []byte) error {
	for i, more := 0, true; more; o.index++ {
		err := o.at(o.t, func(b []byte) []byte {
			return appendProtoMessage(b, packetGraph, func(b []byte) []byte {
				b = appendProtoNumber(appendProtoNumber(b, graphPID, perfettoPID), graphIndex, o.index)
				for ; i < n && len(b) < perfettoPacket; i++ {
					b = fill(b, i)
				}
				if more = i < n; more || !last {
					b = appendProtoNumber(b, graphContinued, 1)
				}
				return b
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// root writes that the row of the root is the only root: it refers to the others.
func (o *perfettoHeap) root() error {
	return o.part(1, false, func(b []byte, _ int) []byte {
		return appendProtoMessage(b, graphRoot, func(b []byte) []byte {
			return appendProtoMessage(b, rootObjects, func(b []byte) []byte { return binary.AppendUvarint(b, uint64(model.RootRow)+1) })
		})
	})
}

// types writes the names of types.
func (o *perfettoHeap) types() error {
	next, stop := iter.Pull(o.names.all())
	defer stop()
	return o.part(o.names.len(), false, func(b []byte, i int) []byte {
		return appendProtoMessage(b, graphType, func(b []byte) []byte {
			name, _ := next()
			return appendProtoText(appendProtoNumber(b, graphTypeID, uint64(i)+1), graphTypeName, model.Clean(name))
		})
	})
}

// fields writes the names of references.
func (o *perfettoHeap) fields() error {
	next, stop := iter.Pull(o.edges.all())
	defer stop()
	return o.part(o.edges.len(), false, func(b []byte, i int) []byte {
		name, _ := next()
		if strings.Contains(name, " ") {
			name = " " + name // importers take the text before the first space as a type
		}
		return interned(b, graphFieldName, uint64(i)+1, model.Clean(name))
	})
}

// objects writes the rows.
func (o *perfettoHeap) objects() error {
	return o.part(o.h.Len(), true, func(b []byte, i int) []byte {
		r := model.Row(i)
		return appendProtoMessage(b, graphObject, func(b []byte) []byte {
			b = appendProtoNumber(appendProtoNumber(b, objectID, uint64(i)+1), objectType, uint64(o.names.row(r))+1)
			b = appendProtoNumber(b, objectSize, o.number(o.h.Bytes(r)))
			return o.references(b, r)
		})
	})
}

// references appends the references of a row.
func (o *perfettoHeap) references(b []byte, r model.Row) []byte {
	to, first := o.h.Out(r)
	o.held = o.holding.Of(r, o.held)
	b = appendProtoMessage(b, objectFieldName, func(b []byte) []byte {
		for i := range to.Len() {
			if o.held[i] {
				b = binary.AppendUvarint(b, uint64(o.edges.edge(first+model.Ref(i)))+1)
			} else {
				o.lost.add("a reference that keeps nothing alive is left out")
			}
		}
		return b
	})
	return appendProtoMessage(b, objectTarget, func(b []byte) []byte {
		for i, t := range to.All() {
			if o.held[i] {
				b = binary.AppendUvarint(b, uint64(t)+1)
			}
		}
		return b
	})
}
