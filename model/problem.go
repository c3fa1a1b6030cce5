package model

import "slices"

// Severity orders problems: an error breaks a rule of the format, a warning makes some figure uncertain, a note
// explains.
type Severity uint8

const (
	Note Severity = iota
	Warning
	Error
)

// String returns the word of the command line's contract.
func (s Severity) String() string { return [...]string{"note", "warning", "error"}[s] }

// Problem is one thing about a file that is damaged, guessed or uncertain.
type Problem struct {
	Severity Severity
	Code     string // stable kebab-case name of the rule or reading
	Message  string // one sentence, lower case, no full stop; may hold bytes of the file: clean it before printing
	Count    int64  // how often, at least 1
	Offset   int64  // byte offset of the first occurrence (after decompression), -1 when it has none
	Line     int64  // line of the first occurrence in text formats, 0 when it has none
}

// RawProblem is a problem as a file of JSON keeps it: its message may be any bytes, which JSON would not keep in a
// string.
type RawProblem struct {
	Problem
	Words []byte
}

// RawProblems returns problems as they are kept.
func RawProblems(list []Problem) (raw []RawProblem) {
	for _, p := range list {
		raw = append(raw, RawProblem{p, []byte(p.Message)})
	}
	return raw
}

// Told returns the problem that was kept.
func (r RawProblem) Told() Problem {
	r.Message = string(r.Words)
	return r.Problem
}

// MaxProblemKinds bounds a problem list: a hostile file may break every rule, and invent reasons to.
const MaxProblemKinds = 1000

// AddProblem returns list with p added: one of the same code, severity and message only counts up (the first offset
// stays). The list given is never changed, so that a published revision stays as it is.
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

// HasError reports whether any problem is an [Error].
func HasError(list []Problem) bool {
	return slices.ContainsFunc(list, func(p Problem) bool { return p.Severity == Error })
}

// cutCodes are the codes of problems that say that the program left something out: for a limit, or because it was told
// to stop.
var cutCodes = []string{CodeMemory, "stopped", "too-large", "line-length", "event-limit", "metric-limit"}

// CutShort returns the first problem that says that the program left something out, nil for none. Damage is the file's
// own.
func CutShort(list []Problem) *Problem {
	i := slices.IndexFunc(list, func(p Problem) bool { return cutRank(p) == 0 })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// TellingFirst returns the problems with those first that say that the program left something out, as those can be
// helped. Otherwise the order stays. The list given is not changed.
func TellingFirst(list []Problem) []Problem {
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b Problem) int { return cutRank(a) - cutRank(b) })
	return out
}

// cutRank returns 0 for what [CutShort] finds.
func cutRank(p Problem) int {
	if slices.Contains(cutCodes, p.Code) {
		return 0
	}
	return 1
}
