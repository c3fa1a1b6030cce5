package analysis

import (
	"context"

	"github.com/memtui/memtui/model"
)

// HeapLabel names a row: its type, "name (file:line)" of a frame, or what root it is. It holds bytes of the file: clean it
// before printing.
func HeapLabel(h *model.Heap, r model.Row) string { return "" }

// HeapQuery chooses rows: those for which everything holds that is not left empty. Without Exact, part of a name suffices and
// upper and lower case are the same.
type HeapQuery struct {
	Kind             model.HeapKind // 0 for any
	Type, Repr, Name string         // Name is that of types and of frames
	Exact            bool
}

// FindRows lists the rows that q chooses in ascending order, at most limit of them (0: all), and their full number.
func FindRows(ctx context.Context, h *model.Heap, q HeapQuery, limit int) (rows []model.Row, total int, err error) {
	return nil, 0, errNotYet
}

// GroupRows lists the rows of one kind and type or frame, most bytes first, then by row.
func GroupRows(ctx context.Context, h *model.Heap, kind model.HeapKind, id uint32) ([]model.Row, error) {
	return nil, errNotYet
}
