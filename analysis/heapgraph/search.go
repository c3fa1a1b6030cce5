package heapgraph

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/memtui/memtui/model"
)

// HeapLabel names a row: its type, "name (file:line)" of a frame, or what root it is. It holds bytes of the file: clean it
// before printing.
func HeapLabel(h *model.Heap, r model.Row) string {
	k := h.Kinds[r]
	if k.Virtual() {
		return rootLabel(k)
	}
	if int(r) >= len(h.Entity) {
		return "<unknown " + k.String() + ">"
	}
	if k == model.KindFrame {
		return FrameLabel(h.Tables.Frame(h.Entity[r]))
	}
	name, _ := h.Tables.Type(h.Entity[r])
	return name
}

// FrameLabel is how the field's tools write a frame: "name (file:line)", of the file's path only the last part, "<anon>" for
// a block without a name.
func FrameLabel(name, file string, line int64) string {
	if name == "" {
		name = "<anon>"
	}
	file = file[strings.LastIndexByte(file, '/')+1:]
	switch {
	case line == model.NoLine && file == "":
		return name
	case line == model.NoLine:
		return name + " (" + file + ")"
	}
	return name + " (" + file + ":" + strconv.FormatInt(line, 10) + ")"
}

func rootLabel(k model.HeapKind) string {
	switch k {
	case model.KindPermRoots:
		return "Permanent Roots"
	case model.KindInstanceRoots:
		return "VM Instance Roots"
	case model.KindCStackRoots:
		return "C Stack Roots"
	case model.KindThreadRoots:
		return "Thread Roots"
	case model.KindRoot:
		return "Root"
	case model.KindInterGenRoots:
		return "Inter-generational Roots"
	case model.KindCallStack:
		return "Call Stack Roots"
	}
	return "<" + k.String() + ">"
}

// HeapQuery chooses rows: those for which everything holds that is not left empty. Without Exact, part of a name suffices and
// upper and lower case are the same.
type HeapQuery struct {
	Kind             model.HeapKind // 0 for any of 1 to 4
	Type, Repr, Name string         // Type and Repr choose no frames; Name is that of types and of frames
	Exact            bool
}

func (q *HeapQuery) holds(text, part string) bool {
	return part == "" || text == part || !q.Exact && strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

// chooses tells for one type or frame.
func (q *HeapQuery) chooses(h *model.Heap, frame bool, id uint32) bool {
	if frame {
		name, _, _ := h.Tables.Frame(id)
		return q.Type == "" && q.Repr == "" && (q.holds(name, q.Name) || name == "" && q.holds("<anon>", q.Name))
	}
	name, repr := h.Tables.Type(id)
	return q.holds(name, q.Type) && q.holds(repr, q.Repr) && q.holds(name, q.Name)
}

// FindRows lists the rows that q chooses in ascending order, at most limit of them (0: all), and their full number.
func FindRows(ctx context.Context, h *model.Heap, q HeapQuery, limit int) (rows []model.Row, total int, err error) {
	known := [2]map[uint32]bool{{}, {}} // of types, of frames: whether chosen
	for r, id := range h.Entity {
		if r%pauseEvery == 0 && ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		k := h.Kinds[r]
		if k.Virtual() || q.Kind != 0 && k != q.Kind {
			continue
		}
		table := known[0]
		if k == model.KindFrame {
			table = known[1]
		}
		yes, ok := table[id]
		if !ok {
			yes = q.chooses(h, k == model.KindFrame, id)
			table[id] = yes
		}
		if !yes {
			continue
		}
		if total++; limit <= 0 || total <= limit {
			rows = append(rows, model.Row(r))
		}
	}
	return rows, total, nil
}

// GroupRows lists the rows of one kind and type or frame, most bytes first, then by row.
func GroupRows(ctx context.Context, h *model.Heap, kind model.HeapKind, id uint32) ([]model.Row, error) {
	var rows []model.Row
	for r, e := range h.Entity {
		if r%pauseEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if e == id && h.Kinds[r] == kind {
			rows = append(rows, model.Row(r))
		}
	}
	bytes := func(r model.Row) uint64 {
		s, _ := model.SaturatingAdd(managed(h, int(r)), unmanaged(h, int(r)))
		return s
	}
	slices.SortFunc(rows, func(a, b model.Row) int {
		return cmp.Or(cmp.Compare(bytes(b), bytes(a)), cmp.Compare(a, b))
	})
	return rows, nil
}
