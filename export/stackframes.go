package export

import (
	"context"
	"strconv"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
)

// stackFrame is a frame as other programs expect it. Names are those of the file: clean them.
type stackFrame struct {
	function string // never empty: file and line, or a word in its place, where the file names none
	file     string
	line     int64 // 0 when unknown
	column   uint32
	dso      model.DSOID
	inlined  bool
	kernel   bool
	id       model.FrameID // 0 for one that represents a complete stack
}

// frameTable numbers the frames in use from 0, in the order of the rows.
type frameTable struct {
	list []stackFrame

	p      *model.Profile
	number []int32 // by FrameID, one more than the number; 0 for a frame that no row uses
	labels map[string]int32
	seen   []bool // by NodeID: all frames up to the root have numbers
	path   []int32
}

// newFrameTable numbers the frames of all rows. The error is that of ctx.
func newFrameTable(ctx context.Context, s *Stacks) (*frameTable, error) {
	t := &frameTable{p: s.Profile, labels: map[string]int32{}}
	if st := s.Profile.Stacks; st != nil {
		t.number, t.seen = make([]int32, len(st.FrameFunc)), make([]bool, len(st.Parent))
	}
	for i := range s.Rows {
		if i%model.AskEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t.use(&s.Rows[i])
	}
	return t, nil
}

// use numbers the frames of a row.
func (t *frameTable) use(r *StackRow) {
	if r.Node == 0 {
		label := r.label()
		if _, ok := t.labels[label]; !ok {
			t.labels[label] = int32(len(t.list))
			t.list = append(t.list, stackFrame{function: label})
		}
		return
	}
	st := t.p.Stacks
	for n := r.Node; n != 0 && !t.seen[n]; n = st.Parent[n] {
		t.seen[n] = true
		if f := st.Frame[n]; t.number[f] == 0 {
			t.list = append(t.list, t.frame(f))
			t.number[f] = int32(len(t.list))
		}
	}
}

func (t *frameTable) frame(id model.FrameID) stackFrame {
	f := t.p.Stacks.At(id)
	out := stackFrame{function: f.Function, file: f.File, id: id}
	if f.Line != model.NoLine {
		out.line = f.Line
	}
	if out.function == "" {
		out.function = calltree.Where(f)
	}
	if out.function == "" {
		out.function = calltree.NoFunction
	}
	if w := t.p.Weights; w != nil {
		out.column, out.dso = w.FrameColumn[id], w.FrameDSO[id]
		out.inlined = w.FrameFlags[id]&model.FrameInlined != 0
		out.kernel = w.FrameKind[id] == model.FrameKernel
	}
	return out
}

// of lists the frames of a row by number, leaf first, at least one. The slice is reused.
func (t *frameTable) of(r *StackRow) []int32 {
	t.path = t.path[:0]
	if r.Node == 0 {
		return append(t.path, t.labels[r.label()])
	}
	for n := r.Node; n != 0; n = t.p.Stacks.Parent[n] {
		t.path = append(t.path, t.number[t.p.Stacks.Frame[n]]-1)
	}
	return t.path
}

func formatFloat(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
