package mlyze

import (
	"fmt"
	"math"
	"strconv"

	"github.com/memtui/memtui/model"
)

// recorded is what the metadata state about how the file was made. The keys are beyond the specification; this
// program's recorder writes them, and its converter those that say what is uncertain.
type recorded struct {
	ours     bool   // by this program, which leaves unknown lines out
	frees    bool   // frees are recorded, as by every recorder of this program
	from     string // the format it was converted from
	coarse   bool   // times are estimates
	invented bool   // addresses are made up
	threads  bool   // threads are not known
	program  string
	stopped  string // why recording ended before the program did
	finished bool   // the recorder has completed the file
	running  bool   // the program ran on when the recording ended
	signal   string // that ended the program, "" for none
	status   string // the exit status of the program, "" for 0 and where that is not known
	unseen   int64  // µs between the last look at what lives and the end
	looked   bool   // addresses are made up, and times are those of looks at what lives
	attached bool   // the program ran before
	sampled  string // how blocks were chosen, "" where all were recorded
	chance   model.Sampling
	sure     string // how far sums are off by that, "" where that is not known
	lost     int64  // events that could not be recorded
	series   []model.Series
}

// maxSeries bounds how many curves are read.
const maxSeries = 64

// recordedKey reads the value of a key if it is one of a recorder.
func (m *metaParser) recordedKey(key string) bool {
	switch key {
	case "recorder":
		m.recorded.ours, m.recorded.frees = true, m.plainText() == "memtui"
	case "converted_from":
		m.recorded.from = model.Clean(m.plainText())
		m.recorded.ours = true
	case "times":
		m.recorded.coarse = m.plainText() == "estimated"
	case "addresses":
		m.recorded.invented = m.plainText() == "invented"
	case "threads":
		m.recorded.threads = m.plainText() == "unknown"
	case "program":
		m.recorded.program = m.plainText()
	case "stopped":
		m.recorded.stopped = m.plainText()
	case "finished":
		m.recorded.finished = m.plainText() == "yes"
	case "running":
		m.recorded.running = m.plainText() == "yes"
	case "signal":
		m.recorded.signal = model.Clean(m.plainText())
	case "exit_status":
		m.recorded.ended(m.recorded.signal, m.natural())
	case "events":
		m.recorded.looked = m.plainText() == "looked"
	case "unseen_end_us":
		m.recorded.unseen = int64(min(m.natural(), 1<<62))
	case "began":
		m.recorded.attached = m.plainText() == "attached"
	case "sampling":
		m.sampling()
	case "lost":
		m.members(func(string) { m.recorded.lost += int64(min(m.natural(), 1<<62)) })
	case "series":
		m.elements(m.curve)
	default:
		return false
	}
	return true
}

func (m *metaParser) plainText() string {
	text, isNumber := m.scalar()
	if isNumber {
		return ""
	}
	return string(text)
}

// natural reads a number, 0 for anything else.
func (m *metaParser) natural() uint64 {
	text, isNumber := m.scalar()
	if !isNumber {
		return 0
	}
	n, _ := strconv.ParseUint(string(text), 10, 64)
	return n
}

// members calls value for each member of an object; another value is skipped.
func (m *metaParser) members(value func(key string)) {
	if m.Peek() != '{' {
		m.Value()
		return
	}
	m.Next()
	for first := true; ; {
		key, ok := m.Member(&first)
		if !ok {
			return
		}
		value(string(key))
	}
}

// elements calls value for each element of a list; another value is skipped.
func (m *metaParser) elements(value func()) {
	if m.Peek() != '[' {
		m.Value()
		return
	}
	m.Next()
	for first := true; m.Element(&first); {
		value()
	}
}

// errorInTables explains the column of errors, which are standard errors.
const errorInTables = "± in tables of one recording is the standard error: the truth is rarely off by more than twice that"

// errorOf states how far a sum of sizes is off where bytes were sampled. A sum of L bytes of blocks that are small next
// to the period P has a standard error of √(P·L), of larger ones a smaller one; 19 of 20 are within twice that.
func errorOf(period uint64) string {
	return fmt.Sprintf("a sum of %s is off by 20 %% at most in 19 of 20 cases, one of %s by 2 %%; %s",
		model.Bytes(period*100), model.Bytes(period*10_000), errorInTables)
}

// errorOfRate states the same where blocks were chosen whatever their size.
func errorOfRate(rate float64) string {
	return fmt.Sprintf("a sum of %s of one size is off by 20 %% at most in 19 of 20 cases, by more where sizes differ, and a single large block may be missing; %s",
		model.Counted(int64(math.Ceil(100*(1-rate)/rate)), "block"), errorInTables)
}

func sampledEvery(bytes uint64) string { return "sampled every " + model.Bytes(bytes).String() }

func sampledRate(rate float64) string {
	return "sampled: " + strconv.FormatFloat(100*rate, 'g', 3, 64) + " % of blocks"
}

// every notes that blocks were chosen at mean distances of least to most bytes; 0 is unknown.
func (r *recorded) every(least, most uint64) {
	switch {
	case most > 0 && least > 0 && least < most:
		r.chance = model.Sampling{Period: most, Varies: true}
		r.sampled = sampledEvery(least) + " to " + model.Bytes(most).String()
	case most > 0:
		r.chance = model.Sampling{Period: most}
		r.sampled = sampledEvery(most)
	}
	if most > 0 && most < 1<<40 {
		r.sure = errorOf(most)
	}
}

// byRate notes by what chance blocks were chosen.
func (r *recorded) byRate(rate float64) {
	r.sampled, r.chance = sampledRate(rate), model.Sampling{Rate: rate}
	if rate > 1e-9 {
		r.sure = errorOfRate(rate)
	}
}

// sampling reads how blocks were chosen.
func (m *metaParser) sampling() {
	m.recorded.sampled = "sampled"
	var least, most uint64
	defer func() { m.recorded.every(least, most) }()
	m.members(func(key string) {
		switch key {
		case "period_bytes":
			most = m.natural()
		case "least_period_bytes":
			least = m.natural()
		case "stated":
			m.recorded.sampled = model.Clean(m.plainText())
		case "rate":
			text, isNumber := m.scalar()
			if rate, err := strconv.ParseFloat(string(text), 64); isNumber && err == nil && rate > 0 && rate < 1 {
				m.recorded.byRate(rate)
			}
		default:
			m.Value()
		}
	})
}

// curve reads a series of pairs of microseconds and bytes. Times that fall back end it.
func (m *metaParser) curve() {
	s := model.Series{}
	m.members(func(key string) {
		switch key {
		case "name":
			s.Name = m.plainText()
		case "points":
			m.elements(func() { m.point(&s) })
		default:
			m.Value()
		}
	})
	if len(s.Times) > 0 && len(m.recorded.series) < maxSeries {
		m.recorded.series = append(m.recorded.series, s)
	}
}

func (m *metaParser) point(s *model.Series) {
	var pair [2]uint64
	n := 0
	m.elements(func() {
		v := m.natural()
		if n < len(pair) {
			pair[n] = v
		}
		n++
	})
	at := model.Time(min(pair[0], math.MaxInt64))
	if last := len(s.Times) - 1; n != len(pair) || last >= 0 && at < s.Times[last] {
		return
	}
	if len(s.Times)%checkEvery == 0 && !m.spend(24*checkEvery) {
		return
	}
	s.Times, s.Values = append(s.Times, at), append(s.Values, float64(pair[1]))
}

// describe adds what is stated to what is known of the file.
func (r *recorded) describe(m *model.Meta) {
	m.Sampled, m.Sampling = r.sampled, r.chance
	m.InventedAddresses, m.CoarseTimes = r.looked || r.invented, r.looked || r.coarse
	m.NoThreads, m.RecordsFrees, m.Ended = r.threads, r.frees, r.end()
	text := func(key, label, value string) {
		if value != "" {
			m.Facts = append(m.Facts, model.Fact{Key: key, Label: label, Value: value})
		}
	}
	text("converted_from", "Converted from", r.from)
	text("program", "Program", r.program)
	text("sampling", "Sampling", r.sampled)
	text("stopped", "Stopped early", r.stopped)
	text("signal", "Ended by", r.signal)
	text("exit_status", "Exit status", r.status)
}

// ended notes how the program has ended.
func (r *recorded) ended(signal string, status uint64) {
	if r.signal = signal; status > 0 {
		r.status = strconv.FormatUint(status, 10)
	}
}

// ending reports what it means that the program did not end by itself, and whether it did not.
func (r *recorded) ending(to *findings) bool {
	switch {
	case r.signal != "":
		to.add(model.Note, "ended-by-signal", model.NoOffset,
			"the program was ended by "+r.signal+": what it would have freed at its end counts as never freed")
	case r.running:
		to.add(model.Note, "program-ran-on", model.NoOffset,
			"the program ran on when the recording ended: what it freed later counts as never freed")
	default:
		return false
	}
	return true
}

// end returns how the program ended in a few words, "" where that is not known or without an error.
func (r *recorded) end() string {
	switch {
	case r.signal != "":
		return "ended by " + r.signal
	case r.running:
		return "program ran on"
	case r.status != "":
		return "exit status " + r.status
	}
	return ""
}

// codeSampled is the code of the note that figures are estimates.
const codeSampled = "sampled"

// estimates states which figures are estimates, and how far they are off, "" where none is.
func (r *recorded) estimates() string {
	if r.sampled == "" {
		return ""
	}
	text := "the blocks were " + r.sampled + ": sizes and sums are estimates, counts, lifetimes and addresses are those of samples"
	if r.sure != "" {
		text += "; " + r.sure
	}
	return text
}

// problems reports what is uncertain because of how the file was made.
func (r *recorded) problems(to *findings) {
	add := func(s model.Severity, code string, count int64, message string) {
		to.addN(s, code, model.NoOffset, message, count)
	}
	if text := r.estimates(); text != "" {
		add(model.Note, codeSampled, 1, text)
	}
	if r.attached {
		add(model.Note, "attached", 1, "the program ran before the recording began: blocks that it allocated before are missing, as are their frees; a full cache seems to grow until all of it was replaced once")
	}
	if r.invented {
		add(model.Note, "invented-addresses", 1, "the file that this one was converted from has no addresses: they are invented, as is which of equal blocks is freed")
	}
	if r.coarse {
		add(model.Note, "coarse-times", 1, "times are estimates: the file that this one was converted from has those of some events only")
	}
	if r.lost > 0 {
		add(model.Warning, model.CodeLostEvents, r.lost, "events were not recorded, as the recorder did not keep up")
	}
	r.ending(to)
	if r.unseen > 0 {
		add(model.Note, "unseen-end", 1, fmt.Sprintf("what lives was last looked at %s before the end: what was allocated since is missing", model.Time(r.unseen)))
	}
	if r.stopped != "" {
		add(model.Warning, model.CodeStoppedEarly, 1, "recording stopped before the program ended: "+model.Clean(r.stopped))
	}
}
