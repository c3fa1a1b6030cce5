package heap

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memtui/memtui/model"
)

// sortObjects orders rows, which may be millions, by a figure, and those of the same one by their number.
func sortObjects(of []model.Row, rows []int32, value func(r *model.Row) uint64, up bool) {
	slices.SortFunc(rows, func(a, b int32) int {
		x, y := &of[a], &of[b]
		if up {
			x, y = y, x
		}
		return cmp.Or(cmp.Compare(value(y), value(x)), cmp.Compare(of[a], of[b]))
	})
}

// sortNames orders rows, which may be millions, by a text, and those of the same one by their number.
func sortNames(of []model.Row, rows []int32, text func(r *model.Row) string, up bool) {
	compare := func(a, b int32) int { return strings.Compare(text(&of[a]), text(&of[b])) }
	if ranks := rankNames(of, rows, text); ranks != nil {
		compare = func(a, b int32) int { return cmp.Compare(ranks[a], ranks[b]) }
	}
	slices.SortFunc(rows, func(a, b int32) int {
		x, y := a, b
		if up {
			x, y = y, x
		}
		return cmp.Or(compare(x, y), cmp.Compare(of[a], of[b]))
	})
}

// mostNames limits the names that [rankNames] keeps: heaps have far fewer types.
const mostNames = 1 << 17

// rankNames returns the place of each row's text among all of them in the alphabet, so that it is made once per row; nil
// if there are too many different ones.
func rankNames(of []model.Row, rows []int32, text func(r *model.Row) string) []uint32 {
	number, ranks := map[string]uint32{}, make([]uint32, len(of))
	var names []string
	for _, i := range rows {
		name := text(&of[i])
		n, ok := number[name]
		if !ok {
			if len(names) == mostNames {
				return nil
			}
			n = uint32(len(names))
			number[name], names = n, append(names, name)
		}
		ranks[i] = n
	}
	slices.Sort(names)
	place := make([]uint32, len(names))
	for i, name := range names {
		place[number[name]] = uint32(i)
	}
	for _, i := range rows {
		ranks[i] = place[ranks[i]]
	}
	return ranks
}
