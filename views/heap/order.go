package heap

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memtui/memtui/model"
)

// mostKeys limits the rows whose figures [sortObjects] looks up once: 32 bytes each.
const mostKeys = 4 << 20

// sortObjects orders rows, which may be millions, by a figure, and those of the same one by their number.
func sortObjects(of []model.Row, rows []int32, value func(r *model.Row) uint64, up bool) {
	figure := func(i int32) uint64 {
		if up {
			return value(&of[i])
		}
		return ^value(&of[i])
	}
	byRow := func(a, b int32) int { return cmp.Compare(of[a], of[b]) }
	if len(rows) > mostKeys {
		slices.SortFunc(rows, func(a, b int32) int { return cmp.Or(cmp.Compare(figure(a), figure(b)), byRow(a, b)) })
		return
	}
	if !slices.IsSortedFunc(rows, byRow) {
		slices.SortFunc(rows, byRow)
	}
	sortByKey(rows, figure)
}

// sortByKey orders rows by a number, those of the same one as before: from the lowest digit to the highest, without those
// that are equal everywhere.
func sortByKey(rows []int32, number func(i int32) uint64) {
	type keyed struct {
		key uint64
		row int32
	}
	const digit = 11 // bits
	from, to := make([]keyed, len(rows)), make([]keyed, len(rows))
	different := uint64(0)
	for i, r := range rows {
		from[i] = keyed{number(r), r}
		different |= from[i].key ^ from[0].key
	}
	for shift := 0; shift < 64; shift += digit {
		if different>>shift&(1<<digit-1) == 0 {
			continue
		}
		var ends [1<<digit + 1]int
		for i := range from {
			ends[from[i].key>>shift&(1<<digit-1)+1]++
		}
		for d := range 1 << digit {
			ends[d+1] += ends[d]
		}
		for i := range from {
			d := from[i].key >> shift & (1<<digit - 1)
			to[ends[d]] = from[i]
			ends[d]++
		}
		from, to = to, from
	}
	for i := range from {
		rows[i] = from[i].row
	}
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
