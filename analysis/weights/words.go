package weights

import (
	"strings"

	"github.com/memtui/memtui/model"
)

// LabelPrefix comes before the key of a label in names of groupings.
const LabelPrefix = "label:"

// words are the names of groupings, except for labels; if one has several, the first is used in commands.
var words = [...]struct {
	word string
	by   By
}{
	{"stack", ByFunctionDSO}, {"owner", ByOwner}, {"dso", ByDSO}, {"module", ByDSO}, {"source", BySourceLine}, {"file", ByFile},
	{"thread", ByProfileThread}, {"kind", ByFrameKind},
}

// GroupNames returns the names of groupings of stack profiles, starting with "stack" for none, and then those of
// labels: [LabelPrefix] with their keys.
func GroupNames(keys ...string) (list []string) {
	for _, w := range words {
		list = append(list, w.word)
	}
	for _, key := range keys {
		list = append(list, LabelPrefix+key)
	}
	return list
}

// GroupNamed returns the grouping with a name; ok is false if there is none, or no record has the label.
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

// Word returns the name of a grouping, "" for functions, which are not grouped.
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
