package waste

import (
	"cmp"
	"context"
	"errors"
	"hash/maphash"
	"slices"

	"github.com/memtui/memtui/model"
)

// Strings sums up the strings of a snapshot.
type Strings struct {
	Objects    uint64
	Distinct   uint64 // distinct contents
	Duplicated uint64 // contents that more than one string has
	Bytes      uint64 // of all strings and of the objects that hold their characters
	Wasted     uint64 // bytes saved if strings of equal content were one
	Maybe      uint64 // strings of which only the beginnings are known, which equal those of others
	Top        []Text // most wasted bytes first, at most maxTop
}

// Text is a content that several strings have.
type Text struct {
	Row    model.Row // the first string
	Count  uint64
	Bytes  uint64 // of the strings and of the objects that hold their characters
	Wasted uint64
	Maybe  bool      // only the beginnings are known to be equal
	Held   bool      // Holder and Edge are known
	Holder model.Row // the first object that refers to Row
	Edge   model.Ref // how
}

// Words returns the words for the texts of a format, of one and of many: those of its set of texts, if it has one.
func Words(s *model.HeapSchema) (one, many string) {
	if s != nil {
		for i := range s.Sets {
			if set := &s.Sets[i]; set.Key == "texts" {
				return set.One, set.Many
			}
		}
	}
	return "string", "strings"
}

const (
	maxTop = 1000
	often  = 1 << 16
)

// stringSeen is a string, identified by the hash of its content.
type stringSeen struct {
	hash         uint64
	row, storage model.Row
	cut          bool
}

// sizedText is what is known of a text that is cut: those of different sizes differ.
type sizedText struct{ hash, bytes uint64 }

func newStringSeen(seed maphash.Seed, h *model.Heap, t *model.HeapText) stringSeen {
	s := stringSeen{maphash.Bytes(seed, t.Content), t.Row, t.Storage, t.Cut}
	if s.cut {
		s.hash = maphash.Comparable(seed, sizedText{s.hash, bytesOf(h, s.storage)})
	}
	return s
}

// findStrings hashes every string, and groups equal ones. It takes 32 bytes of memory per string.
func findStrings(ctx context.Context, src model.HeapWaste, i int, h *model.Heap, tell func(model.Row)) (s Strings, err error) {
	seed, budget := maphash.MakeSeed(), model.BudgetOf(ctx)
	var list []stringSeen
	err = src.Texts(ctx, i, h.Recorded(), func(t *model.HeapText) error {
		if len(list)%often == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if budget.Full(model.BudgetOfFile) {
				return budget.Error("the strings of the snapshot")
			}
			tell(t.Storage)
		}
		list = append(list, newStringSeen(seed, h, t))
		return nil
	})
	if err != nil {
		return s, err
	}
	slices.SortFunc(list, func(a, b stringSeen) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.storage, b.storage), cmp.Compare(a.row, b.row))
	})
	s.Objects = uint64(len(list))
	for from := 0; from < len(list); {
		to := from + 1
		for to < len(list) && list[to].hash == list[from].hash {
			to++
		}
		s.add(together(h, list[from:to]))
		from = to
	}
	slices.SortFunc(s.Top, mostWasted)
	s.Top = slices.Clip(s.Top[:min(len(s.Top), maxTop)])
	return s, findHolders(ctx, h, s.Top)
}

// findHolders finds the first object that refers to the first string of each text: without the texts, which may be
// secrets, that distinguishes them.
func findHolders(ctx context.Context, h *model.Heap, top []Text) error {
	if h.Start.Len() != h.Len()+1 || len(h.Label) != h.To.Len() {
		return ctx.Err()
	}
	number, wanted, real := map[model.Row]int{}, make([]bool, h.Len()), h.Schema.Real()
	for i := range top {
		number[top[i].Row], wanted[top[i].Row] = i, true
	}
	for r := range model.Row(h.Len()) {
		if r%often == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !real.Has(h.Kinds[r]) {
			continue
		}
		ends, first := h.Out(r)
		for k, to := range ends.All() {
			if !h.Has(to) || !wanted[to] {
				continue
			}
			wanted[to] = false
			t := &top[number[to]]
			t.Held, t.Holder, t.Edge = true, r, first+model.Ref(k)
		}
	}
	return ctx.Err()
}

func mostWasted(a, b Text) int {
	return cmp.Or(cmp.Compare(b.Wasted, a.Wasted), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Row, b.Row))
}

// together sums up strings of one content, ordered by the object that holds their characters. The largest string and
// the largest of those objects are needed; the rest is wasted.
func together(h *model.Heap, list []stringSeen) Text {
	t := Text{Row: list[0].row, Count: uint64(len(list))}
	var objects, storage, largest, largestStorage uint64
	for i, s := range list {
		t.Row, t.Maybe = min(t.Row, s.row), t.Maybe || s.cut
		n := bytesOf(h, s.row)
		objects, _ = model.SaturatingAdd(objects, n)
		largest = max(largest, n)
		if s.storage == s.row || i > 0 && list[i-1].storage == s.storage {
			continue
		}
		n = bytesOf(h, s.storage)
		storage, _ = model.SaturatingAdd(storage, n)
		largestStorage = max(largestStorage, n)
	}
	t.Bytes, _ = model.SaturatingAdd(objects, storage)
	t.Wasted, _ = model.SaturatingAdd(objects-largest, storage-largestStorage)
	return t
}

// add adds a content. From time to time those that waste least are dropped.
func (s *Strings) add(t Text) {
	s.Distinct++
	s.Bytes, _ = model.SaturatingAdd(s.Bytes, t.Bytes)
	if t.Count < 2 {
		return
	}
	s.Duplicated++
	s.Wasted, _ = model.SaturatingAdd(s.Wasted, t.Wasted)
	if t.Maybe {
		s.Maybe += t.Count
	}
	if s.Top = append(s.Top, t); len(s.Top) >= 16*maxTop {
		slices.SortFunc(s.Top, mostWasted)
		s.Top = s.Top[:maxTop]
	}
}

// errEnough stops reading early.
var errEnough = errors.New("enough")

// Contents reads the contents of strings, at most some bytes of each, as in the file: not cleaned. whole reports which
// of them are complete.
func Contents(ctx context.Context, src model.HeapWaste, i int, h *model.Heap, rows []model.Row,
	most int) (texts map[model.Row]string, whole map[model.Row]bool, err error) {
	wanted := make(map[model.Row]bool, len(rows))
	for _, r := range rows {
		wanted[r] = true
	}
	texts, whole = map[model.Row]string{}, map[model.Row]bool{}
	if len(rows) == 0 {
		return texts, whole, nil
	}
	err = src.Texts(ctx, i, h.Recorded(), func(t *model.HeapText) error {
		if wanted[t.Row] {
			texts[t.Row], whole[t.Row] = string(t.Content[:min(len(t.Content), most)]), len(t.Content) <= most && !t.Cut
		}
		if len(texts) == len(wanted) {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return texts, whole, err
}
