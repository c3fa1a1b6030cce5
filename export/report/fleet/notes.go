package fleet

import (
	"strconv"
	"strings"

	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/model"
)

// Stack is a stack that a question is about.
type Stack struct {
	Stack    fleet.Key `json:"stack"`
	Function string    `json:"function"`
	File     string    `json:"file,omitzero"`
	Frames   []Frame   `json:"frames"` // leaf first
}

// Frame is a frame of a stack.
type Frame struct {
	Function string `json:"function"`
	File     string `json:"file,omitzero"`
	Module   string `json:"module,omitzero"`
}

// NewStack returns a stack of a fleet.
func NewStack(s *fleet.Stack) Stack {
	out := Stack{Stack: fleet.Key(s.Stack), Function: s.Function, File: s.File, Frames: []Frame{}}
	for i, text := range s.Frames {
		f := Frame{}
		f.Function, f.File = fleet.Frame(text)
		if i < len(s.Modules) {
			f.Module = s.Modules[i]
		}
		out.Frames = append(out.Frames, f)
	}
	return out
}

func (s *Stack) title() string {
	return s.Stack.String() + "  " + place(fleet.Place{Function: s.Function, File: s.File})
}

// String returns the frame with its file, or where that is unknown with its module.
func (f Frame) String() string {
	where := f.File
	if where == "" {
		where = f.Module
	}
	if where != "" {
		where = "  " + where
	}
	return model.Clean(f.Function + where)
}

// notes says what recordings the figures are of, and what they mean.
func notes(q *fleet.Question, a *fleet.Answer) []string {
	list, b := counted(q, &a.Basis), &a.Basis
	if b.Lacking > 0 {
		list = append(list, lacking(q, b))
	}
	if b.Undated > 0 && q.Kind != fleet.Recordings {
		list = append(list, those(b.Undated, "does", "do")+" not say when the program ran: the newest is by the time when the file was "+
			"written, unless another time was given when it was added.")
	}
	if b.Incomplete > 0 {
		list = append(list, those(b.Incomplete, "is", "are")+" incomplete: "+q.Figure.Cut("it ends")+".")
	}
	if b.Sampled > 0 {
		list = append(list, those(b.Sampled, "is", "are")+" sampled: figures are estimates.")
	}
	switch {
	case q.Kind == fleet.Top && len(a.Top) == 0 && b.Counted > 0 && q.What.HasSites() && q.Site == "":
		list = append(list, "Heap snapshots and memory dumps have no sites: --what types or --what pages lists what they have.")
	case q.Kind == fleet.Outliers:
		word := map[bool]string{true: "far from the others", false: "listed"}[q.Every]
		list = append(list, "ROBUST Z is how many standard deviations a host is from the median host, as estimated by the median distance "+
			"from it, so that odd hosts do not hide themselves; hosts from "+strconv.FormatFloat(fleet.LeastScore, 'g', -1, 64)+" on are "+word+".")
	case q.Kind == fleet.Curve:
		list = append(list, "The time that the longest run of a service took is divided into "+strconv.Itoa(fleet.CurveParts)+" parts, in which each host "+
			"counts by the most that it has. BEGIN, HALF and END are the median host in the first, the middle and the last part that the "+
			"version has; P95 and HOSTS are of the last one.")
	case q.Kind == fleet.Diff:
		list = append(list, "Δ is AFTER less BEFORE, the means over all hosts of a version; MEDIAN and P95 are of the hosts that have the site in AFTER.")
	}
	return list
}

// those returns "1 recording does" or "2 recordings do".
func those(n uint64, one, many string) string {
	if n == 1 {
		return "1 recording " + one
	}
	return model.Group(n) + " recordings " + many
}

// counted says which recordings count.
func counted(q *fleet.Question, b *fleet.Basis) []string {
	of := ": " + model.Group(b.Counted) + " of " + those(b.Recordings, "counts", "count") + "."
	switch {
	case q.Kind == fleet.Recordings:
		return nil
	case q.Kind == fleet.Diff || q.Kind == fleet.Trend || q.Kind == fleet.Curve:
		return []string{"Of each host the newest recording of a version counts" + of}
	case q.All:
		return []string{"Of each host the largest of its versions' newest recordings counts" + of}
	case q.Version != "":
		return []string{"Of each host the newest recording of this version counts" + of}
	}
	return []string{"Of each host the newest recording counts, whatever its version" + of}
}

// lacking says why recordings are left out.
func lacking(q *fleet.Question, b *fleet.Basis) string {
	text := those(b.Lacking, "lacks", "lack") + " " + string(q.Figure)
	var why []string
	if b.Freeless > 0 {
		why = append(why, model.Group(b.Freeless)+" as no FREE is recorded (--by alloc_bytes)")
	}
	if b.Memoryless > 0 {
		why = append(why, model.Group(b.Memoryless)+" of other things than memory")
	}
	if n := b.Lacking - b.Freeless - b.Memoryless; n > 0 {
		why = append(why, model.Group(n)+" whose format has no such figure (--by, --what)")
	}
	return text + ": " + strings.Join(why, ", ") + "."
}
