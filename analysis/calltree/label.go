package calltree

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memtui/memtui/model"
)

// labelStep is a step about labels of records: label:KEY, or label:KEY=VALUE with a text or /expression/.
type labelStep struct {
	not   bool
	key   string
	any   bool // any value matches
	value string
	match func(string) bool // used instead of value; may be nil
}

// ofRecords reports whether a step is about labels of the records of these stacks, not about frames. Traces have no
// labels: there such a step matches no frame.
func ofRecords(s *model.Stacks, step Step) bool {
	is, _ := targetOf(step.Name)
	return is == byLabel && s.DSOs != nil
}

// labelSteps returns the steps that are about labels.
func labelSteps(s *model.Stacks, steps []Step) (out []labelStep) {
	for _, step := range steps {
		if !ofRecords(s, step) {
			continue
		}
		_, rest := targetOf(step.Name)
		key, value, valued := strings.Cut(rest, "=")
		l := labelStep{not: step.Kind == Ignore, key: key, any: !valued, value: value}
		if _, isExpr := expressionIn(value); isExpr {
			l.match = nameOr(value, func(text, name string) bool { return text == name })
		}
		out = append(out, l)
	}
	return out
}

// holds reports whether a set has a label that the step matches.
func (l *labelStep) holds(set []model.Label) bool {
	return slices.ContainsFunc(set, func(o model.Label) bool {
		switch text := o.Value(); {
		case o.Key != l.key:
			return false
		case l.any:
			return true
		case l.match != nil:
			return l.match(text)
		default:
			return text == l.value || o.Numeric && strconv.FormatInt(o.Number, 10) == l.value
		}
	})
}

// AboutLabels reports whether the filter depends on labels.
func (f *FilteredStacks) AboutLabels() bool { return len(f.labels) > 0 }

// KeepsLabels reports whether the steps about labels keep a record with a set of labels.
func (f *FilteredStacks) KeepsLabels(set []model.Label) bool {
	for i := range f.labels {
		if l := &f.labels[i]; l.holds(set) == l.not {
			return false
		}
	}
	return true
}
