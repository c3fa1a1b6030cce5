package model

import (
	"fmt"
	"slices"
	"strings"
)

// Severity orders problems: an error breaks a rule of the format, a warning makes some values uncertain, a note
// explains.
type Severity uint8

const (
	Note Severity = iota
	Warning
	Error
)

// String returns the word that the command line prints.
func (s Severity) String() string { return [...]string{"note", "warning", "error"}[s] }

// Problem is one thing about a file that is damaged, guessed or uncertain.
type Problem struct {
	Severity Severity
	Code     string // stable kebab-case name of the rule
	Message  string // one sentence, lower case, no full stop; may contain bytes of the file: clean it before printing
	Count    int64  // number of occurrences, at least 1
	Offset   int64  // byte offset of the first occurrence (after decompression), -1 if it has none
	Line     int64  // line of the first occurrence in text formats, 0 if it has none
}

// RawProblem is a problem as stored in JSON: its message may be any bytes, which a JSON string cannot hold.
type RawProblem struct {
	Problem
	Words []byte
}

// RawProblems converts problems for storing.
func RawProblems(list []Problem) (raw []RawProblem) {
	for _, p := range list {
		raw = append(raw, RawProblem{p, []byte(p.Message)})
	}
	return raw
}

// Restore returns the stored problem.
func (r RawProblem) Restore() Problem {
	r.Message = string(r.Words)
	return r.Problem
}

// MaxProblemKinds bounds a problem list: a hostile file may break every rule, in as many ways as it likes.
const MaxProblemKinds = 1000

// AddProblem returns list with p added; if one of the same code, severity and message exists, its count is raised and
// its offset stays. The given list is never changed, so that a published revision stays unchanged.
func AddProblem(list []Problem, p Problem) []Problem {
	if p.Count == 0 {
		p.Count = 1
	}
	for i, q := range list {
		if q.Code == p.Code && q.Severity == p.Severity && q.Message == p.Message {
			list = slices.Clone(list)
			list[i].Count += p.Count
			return list
		}
	}
	if len(list) >= MaxProblemKinds {
		return list
	}
	return append(slices.Clip(list), p)
}

// MergeProblems returns a list in which problems that say the same about several files, which their messages begin with,
// are one: "a.json, b.json: a line is cut". Counts are added up; offset and line are those of the first.
func MergeProblems(list []Problem) (merged []Problem) {
	type said struct {
		severity   Severity
		code, text string
	}
	at, names := map[said]int{}, map[int][]string{}
	for _, p := range list {
		name, text, ok := strings.Cut(p.Message, ": ")
		if !ok {
			name, text = "", p.Message
		}
		key := said{p.Severity, p.Code, text}
		i, known := at[key]
		if !known {
			at[key], names[len(merged)] = len(merged), []string{name}
			merged = append(merged, p)
			continue
		}
		if merged[i].Count += p.Count; !slices.Contains(names[i], name) {
			names[i] = append(names[i], name)
		}
		merged[i].Message = inFiles(names[i]) + text
	}
	return merged
}

// inFiles returns names of files before what is said about them, "" for none.
func inFiles(names []string) string {
	const most = 3
	switch n := len(names); {
	case n == 1 && names[0] == "":
		return ""
	case slices.Contains(names, ""): // that of the first file
		return fmt.Sprintf("%d of the files: ", n)
	case n > most:
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more: ", n-most)
	}
	return strings.Join(names, ", ") + ": "
}

// HasError reports whether any problem is an [Error].
func HasError(list []Problem) bool {
	return slices.ContainsFunc(list, func(p Problem) bool { return p.Severity == Error })
}

// cutCodes are the codes of problems that report that the program left something out: due to a limit, or because it was
// stopped.
var cutCodes = []string{CodeMemory, "stopped", "too-large", "line-length", "event-limit", "metric-limit"}

// CutShort returns the first problem that reports that the program left something out, nil for none. Damage of the file
// is not one.
func CutShort(list []Problem) *Problem {
	i := slices.IndexFunc(list, func(p Problem) bool { return cutRank(p) == 0 })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// Codes of problems that report what a recorder left out: the file is complete, the recording is not.
const (
	CodeLostEvents   = "lost-events"
	CodeStoppedEarly = "stopped-early"
	CodeKilled       = "recorder-killed"
)

// InPart is what is said of a recording of which a recorder left something out.
const InPart = "recorded in part"

// RecordedInPart reports whether a problem's code means that.
func RecordedInPart(code string) bool {
	return code == CodeLostEvents || code == CodeStoppedEarly || code == CodeKilled
}

// CutFirst returns the problems with those first that report that the program left something out, as users can do
// something about them. Otherwise the order stays. The given list is not changed.
func CutFirst(list []Problem) []Problem {
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b Problem) int { return cutRank(a) - cutRank(b) })
	return out
}

// cutRank returns 0 for problems that [CutShort] finds.
func cutRank(p Problem) int {
	if slices.Contains(cutCodes, p.Code) {
		return 0
	}
	return 1
}
