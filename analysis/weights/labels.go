package weights

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memtui/memtui/model"
)

// byLabel and what follows it group by the value of a label, one By for each of [LabelKeys].
const byLabel By = 128

// LabelKeys returns the keys of the labels that records have, sorted; at most so many as there are groupings for.
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

// labelBy returns the grouping by the values of a label; ok is false where no record has the key.
func labelBy(w *model.StackProfile, key string) (by By, ok bool) {
	i, ok := slices.BinarySearch(LabelKeys(w), key)
	if !ok {
		return ByFunctionDSO, false
	}
	return byLabel + By(i), true
}

// labelValue returns what a set of labels says under a key: several values are told together. It is "" where the set has none.
func labelValue(set []model.Label, key string) string {
	var values []string
	for _, l := range set {
		if l.Key == key {
			values = append(values, labelText(l))
		}
	}
	return strings.Join(values, ", ")
}

func labelText(l model.Label) string {
	switch {
	case !l.Numeric:
		return l.Text
	case l.Unit == "":
		return strconv.FormatInt(l.Number, 10)
	}
	return strconv.FormatInt(l.Number, 10) + " " + l.Unit
}

// labelRows makes a row for every value of a label, and tells which one each set of labels belongs to.
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

// labelsOf returns the set of labels of a record.
func labelsOf(w *model.StackProfile, record int) model.LabelSetID {
	if w.Records.Labels == nil {
		return 0
	}
	return w.Records.Labels[record]
}
