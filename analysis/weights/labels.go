package weights

import (
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
)

// byLabel and the values after it group by the value of a label, one By for each of [LabelKeys].
const byLabel By = 128

// LabelKeys returns the keys of the labels of records, sorted; at most as many as there are groupings for.
func LabelKeys(w *model.StackProfile) (keys []string) {
	known := map[string]bool{}
	for _, set := range w.Labels {
		for _, l := range set {
			if !known[l.Key] {
				known[l.Key] = true
				keys = append(keys, l.Key)
			}
		}
	}
	slices.Sort(keys)
	return keys[:min(len(keys), 255-int(byLabel))]
}

// LabelWords returns at most most names of labels that contain a text, ignoring case: label:KEY, and label:KEY=VALUE
// once text has a "=" after the key.
func LabelWords(w *model.StackProfile, text string, most int) (words []string) {
	add := func(word string) {
		if strings.Contains(strings.ToLower(word), strings.ToLower(text)) && len(words) < most && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	keys := LabelKeys(w)
	for _, key := range keys {
		add(LabelPrefix + key)
	}
	if !strings.HasPrefix(LabelPrefix, text) && !strings.HasPrefix(text, LabelPrefix) {
		return words
	}
	for _, set := range w.Labels {
		for _, l := range set {
			if key := LabelPrefix + l.Key; text == key || strings.HasPrefix(text, key+"=") {
				add(key + "=" + l.Value())
			}
		}
	}
	return words
}

// labelBy returns the grouping by the values of a label; ok is false if no record has the key.
func labelBy(w *model.StackProfile, key string) (by By, ok bool) {
	i, ok := slices.BinarySearch(LabelKeys(w), key)
	if !ok {
		return ByFunctionDSO, false
	}
	return byLabel + By(i), true
}

// labelValue returns the value of a key in a set of labels; several values are joined. It is "" if the set has none.
func labelValue(set []model.Label, key string) string {
	var values []string
	for _, l := range set {
		if l.Key == key {
			values = append(values, l.Value())
		}
	}
	return strings.Join(values, ", ")
}

// labelRows makes a row for every value of a label, and maps each set of labels to its row.
func (s *Selection) labelRows(by By) (rows []Row, of []uint32) {
	keys := LabelKeys(s.Profile)
	at := map[string]uint32{}
	of = make([]uint32, max(1, len(s.Profile.Labels)))
	for i := range of {
		name := ""
		if i < len(s.Profile.Labels) && int(by-byLabel) < len(keys) {
			name = labelValue(s.Profile.Labels[i], keys[by-byLabel])
		}
		row, ok := at[name]
		if !ok {
			row = uint32(len(rows))
			at[name] = row
			rows = append(rows, Row{ID: row, Name: name})
		}
		of[i] = row
	}
	return rows, of
}

// keptLabels returns which sets of labels a filter keeps, nil if it does not use labels.
func keptLabels(w *model.StackProfile, view *calltree.FilteredStacks) []bool {
	if !view.AboutLabels() {
		return nil
	}
	kept := make([]bool, max(1, len(w.Labels)))
	for i := range kept {
		kept[i] = view.KeepsLabels(w.LabelSet(model.LabelSetID(i)))
	}
	return kept
}

// labelsOf returns the set of labels of a record.
func labelsOf(w *model.StackProfile, record int) model.LabelSetID {
	if w.Records.Labels == nil {
		return 0
	}
	return w.Records.Labels[record]
}
