package model

import (
	"slices"
	"strconv"
	"strings"
)

// Label is a fact that a recording states about a stack in addition to its frames, such as the tenant that it worked
// for. A set may have a key several times.
type Label struct {
	Key  string
	Text string // the value; "" if it is a number
	// Number is the value if Numeric, in Unit.
	Number  int64
	Unit    string
	Numeric bool
}

// Value returns the value as text, a number with its unit.
func (l *Label) Value() string {
	switch {
	case !l.Numeric:
		return l.Text
	case l.Unit == "":
		return strconv.FormatInt(l.Number, 10)
	}
	return strconv.FormatInt(l.Number, 10) + " " + l.Unit
}

// LabelText renders a set of labels as a filter after "label:": "tenant=a, bytes=64 bytes".
func LabelText(set []Label) string {
	words := make([]string, len(set))
	for i := range set {
		words[i] = set[i].Key + "=" + set[i].Value()
	}
	return strings.Join(words, ", ")
}

// LabelSet returns a set of labels, nil for the empty one.
func (p *StackProfile) LabelSet(id LabelSetID) []Label {
	if int(id) >= len(p.Labels) {
		return nil
	}
	return p.Labels[id]
}

// LabelsOf returns the labels of a record, nil if it has none.
func (p *StackProfile) LabelsOf(r RecordID) []Label {
	if p.Records.Labels == nil {
		return nil
	}
	return p.LabelSet(p.Records.Labels[r])
}

// ThreadPart is what a label states about the thread of a stack.
type ThreadPart uint8

const (
	NoThreadPart ThreadPart = iota
	ThreadName
	ThreadNumber
	ProcessNumber
)

// Keys of labels that name the thread, in lower case, with blanks for other separators.
var (
	threadNames   = []string{"thread", "thread name", "threadname", "comm"}
	threadNumbers = []string{"thread", "tid", "thread id", "threadid", "thread native id", "os thread id"}
	processKeys   = []string{"pid", "process id"}
)

var labelBlanks = strings.NewReplacer("_", " ", "-", " ", ".", " ")

// OfThread returns what a label states about the thread, by its key and value; number is the value if it is a number.
func (l *Label) OfThread() (part ThreadPart, number int64) {
	key := strings.ToLower(labelBlanks.Replace(l.Key))
	number, is := l.Number, l.Numeric
	if !is {
		n, err := strconv.ParseInt(l.Text, 10, 64)
		number, is = n, err == nil
	}
	is = is && number >= 0
	switch {
	case is && slices.Contains(processKeys, key):
		return ProcessNumber, number
	case is && slices.Contains(threadNumbers, key):
		return ThreadNumber, number
	case !is && slices.Contains(threadNames, key):
		return ThreadName, 0
	}
	return NoThreadPart, 0
}
