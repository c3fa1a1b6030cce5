package weights

import (
	"strings"

	"github.com/memtui/memtui/model"
)

// LabelPrefix stands before the key of a label where words name groupings.
const LabelPrefix = "label:"

// words name the groupings; of several for one, the first is the one that commands are written with. Those of labels
// are not here.
var words = [...]struct {
	word string
	by   By
}{
	{"stack", ByFunctionDSO}, {"owner", ByOwner}, {"dso", ByDSO}, {"module", ByDSO}, {"source", BySourceLine}, {"file", ByFile},
	{"thread", ByProfileThread}, {"kind", ByFrameKind},
}

// GroupNames returns the words that name groupings of stack profiles, "stack" for none first, and those of labels, by
// [LabelPrefix] and their keys.
func GroupNames(keys ...string) (list []string) {
	for _, w := range words {
		list = append(list, w.word)
	}
	for _, key := range keys {
		list = append(list, LabelPrefix+key)
	}
	return list
}

// GroupNamed returns the grouping that a word names; ok is false where there is none, or no record has the label.
func GroupNamed(w *model.StackProfile, word string) (by By, ok bool) {
	if key, labeled := strings.CutPrefix(word, LabelPrefix); labeled {
		return labelBy(w, key)
	}
	for _, x := range words {
		if x.word == word {
			return x.by, true
		}
	}
	return ByFunctionDSO, false
}

// Word returns the word that names a grouping, "" for functions, which are not grouped.
func (b By) Word(w *model.StackProfile) string {
	switch keys := LabelKeys(w); {
	case b == ByFunctionDSO:
		return ""
	case b >= byLabel && int(b-byLabel) < len(keys):
		return LabelPrefix + keys[b-byLabel]
	}
	for _, x := range words {
		if x.by == b {
			return x.word
		}
	}
	return ""
}
