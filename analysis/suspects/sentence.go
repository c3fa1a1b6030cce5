package suspects

import (
	"fmt"
	"strings"

	"github.com/memtui/memtui/model"
)

// Evidence returns the suspect as a sentence, cleaned: "1,500 Session (3.00 MiB, 21.0 % of the heap) are held by one
// SessionCache through `$cache`; grew by 1,096 since #0, in every snapshot".
func (s *Suspect) Evidence() string {
	text := s.subject() + s.held()
	if growth := s.grew(); growth != "" {
		text += "; " + growth
	}
	return text
}

// Change returns the suspect of a comparison of two snapshots as a sentence, with the owner of what was added, without
// numbers of snapshots.
func (s *Suspect) Change() string {
	text := s.subject() + s.held()
	switch {
	case s.Growth > 0 && s.course[0].count == 0:
		return text + "; there were none before"
	case s.Growth > 0:
		return fmt.Sprintf("%s; %s more than before", text, model.Group(uint64(s.Growth)))
	case s.GrowthBytes > 0:
		return fmt.Sprintf("%s; as many as before, but %v larger", text, model.Bytes(s.GrowthBytes))
	}
	return text
}

// Snapshots returns the number of snapshots by which the suspect was judged.
func (s *Suspect) snapshots() int { return len(s.course) }

// Word returns the word of the verdict, "" for one snapshot.
func (s *Suspect) Word() string {
	if s.snapshots() < 2 {
		return ""
	}
	return s.Verdict.String()
}

// sureOfTwo is the confidence of a verdict based on two snapshots: which of them has more may be chance.
const sureOfTwo = 0.5

// Confidence returns the confidence of the verdict, 0 … 1: 0 for one snapshot, which says nothing about growth.
func (s *Suspect) Confidence() float64 {
	switch s.snapshots() {
	case 0, 1:
		return 0
	case 2:
		return sureOfTwo
	}
	as, steps := s.agreeing()
	return float64(as+1) / float64(steps+2)
}

// agreeing returns how many steps from snapshot to snapshot were as the verdict says, and of how many: more each time
// of what grows. Of what grew once, those after that one tell, of what is bounded those after the one with most.
func (s *Suspect) agreeing() (as, steps int) {
	from := s.course[0]
	switch s.Verdict {
	case once:
		_, from = s.step()
	case Bounded:
		from = s.most()
	}
	for i := range s.course[1:] {
		a, b := s.course[i], s.course[i+1]
		if a.snapshot < from.snapshot {
			continue
		}
		if steps++; b.isMore(a) == (s.Verdict == Grows) || s.Verdict == Bounded {
			as++
		}
	}
	return as, steps
}

// most returns the first moment with the most objects.
func (s *Suspect) most() moment {
	most := s.course[0]
	for _, p := range s.course {
		if p.count > most.count {
			most = p
		}
	}
	return most
}

// isMore reports whether there are more objects than at another moment, or as many that are larger.
func (m moment) isMore(than moment) bool {
	return m.count > than.count || m.count == than.count && m.bytes > than.bytes
}

// commonWords are names of types that read as words of a sentence: "2 module" could be modules.
var commonWords = map[string]bool{
	"class": true, "frame": true, "function": true, "method": true, "module": true, "object": true, "root": true,
	"thread": true, "type": true,
}

// What returns the name of the objects: "Session", "objects of type module", or "objects of package shop.cart".
func (s *Suspect) What() string {
	name := model.Clean(s.Name)
	switch {
	case name == "" && s.Axis == 0:
		name = "<anon>"
	case name == "":
		name = s.Schema.Axes[s.Axis].Text("")
	}
	if s.Axis == 0 && !commonWords[strings.ToLower(name)] {
		return name
	}
	many := s.Schema.Objects().Many
	if s.Count == 1 {
		many = s.Schema.Objects().One
	}
	return many + " of " + s.Schema.Axes[s.Axis].Word + " " + name
}

func (s *Suspect) subject() string {
	return fmt.Sprintf("%s %s (%v, %v of the heap)", model.Group(s.Count), s.What(), model.Bytes(s.Retained),
		model.ShareOf(s.Retained, s.Total))
}

// held returns what retains them.
func (s *Suspect) held() string {
	verb := " are"
	if s.Count == 1 {
		verb = " is"
	}
	switch {
	case !s.HasRow, s.of == s.Count && s.heldBytes < s.Retained/spread:
		return verb + " held in many places: no single object holds a large part of them"
	case s.of == s.Count && s.heldCount < crowd && s.heldCount < s.Count: // few of many, but large ones
		return fmt.Sprintf(", %v of that held %s", model.Bytes(s.heldBytes), s.ownerText())
	case s.of == s.Count && s.heldCount*100 < s.Count*mostOf:
		return fmt.Sprintf(", %s of them (%v) held %s", model.Group(s.heldCount), model.Bytes(s.heldBytes), s.ownerText())
	case s.linked && s.Axis > 0:
		return ", below one " + model.Clean(s.top) + "," + verb + " held " + s.ownerText()
	case s.linked:
		return ", linked to each other," + verb + " held " + s.ownerText()
	}
	return verb + " held " + s.ownerText()
}

// ownerText returns "by one SessionCache through `$cache`".
func (s *Suspect) ownerText() string {
	text := model.Clean(s.Owner)
	switch {
	case s.OwnerRow == model.RootRow:
		return "from several roots, with no single dominator"
	case s.owners > 1 && s.ownerOne:
		text = model.Group(uint64(s.owners)) + " " + text
	case s.ownerOne:
		text = "one " + text
	}
	if strings.Trim(s.Through, "0123456789") != "" { // an index in an array is not informative
		text += " through `" + strings.ReplaceAll(model.Clean(s.Through), "`", "'") + "`"
	}
	return "by " + text
}

// Place returns the object in which they accumulate, if their owner is another one above it: "they are in Hash #17,977".
// Its row says which one that is. Objects that are linked to each other are below their first.
func (s *Suspect) Place() string {
	if !s.HasRow || s.Row == s.OwnerRow || s.OwnerRow == model.RootRow || s.Row == model.RootRow {
		return ""
	}
	which := "they are in "
	switch {
	case s.owners > 1 || s.of == s.Count && s.heldCount*100 < s.Count*mostOf:
		which = "the largest part is in "
	case s.Count == 1:
		which = "it is in "
	case s.linked:
		which = "they are below "
	}
	return which + model.Clean(s.top) + " #" + model.Group(uint64(s.Row))
}

// grew returns how the number of objects changed, "" for one snapshot.
func (s *Suspect) grew() string {
	if !s.HasGrowth {
		return ""
	}
	text := ""
	if s.of != s.Count {
		text = "of all " + model.Group(s.of) + ": "
	}
	switch since := fmt.Sprintf("since #%d", s.first); s.Verdict {
	case Grows:
		return text + s.grewBy(since) + s.howOften() + s.stayed()
	case once:
		if len(s.course) == 2 {
			return text + s.grewBy(since) + s.stayed()
		}
		from, to := s.step()
		return text + fmt.Sprintf("grew once, by %s from #%d to #%d", model.Group(to.count-from.count), from.snapshot, to.snapshot)
	}
	return text + s.bound()
}

// stayed returns how many of the objects of the first snapshot still exist, "" if the format does not identify objects.
func (s *Suspect) stayed() string {
	before := s.course[0].count
	switch about := map[bool]string{false: "about "}[s.exact]; {
	case !s.HasSame || before == 0:
		return ""
	case s.Same == before:
		return fmt.Sprintf(", the %s of #%d are still there", model.Group(before), s.first)
	case s.Same == 0:
		return fmt.Sprintf(", none of the %s of #%d is left", model.Group(before), s.first)
	default:
		return fmt.Sprintf(", %s%s of the %s of #%d are still there", about, model.Group(s.Same), model.Group(before), s.first)
	}
}

// bound returns the maximum number of objects.
func (s *Suspect) bound() string {
	text, most := "", s.most()
	switch {
	case s.level():
		return fmt.Sprintf("bounded: as many as in #%d", s.first)
	case s.Growth > 0 && most == s.course[len(s.course)-1]: // the bound is not known yet
		how, c := "too few to count as growth", s.counts()
		switch {
		case c.slows():
			how = "ever more slowly"
		case c.falls() > c.rise()/stray:
			how = "and fewer in between"
		}
		return fmt.Sprintf("bounded: %s more than in #%d, %s", model.Group(uint64(s.Growth)), s.first, how)
	case s.Growth > 0:
		text = fmt.Sprintf("%s more than in #%d, but ", model.Group(uint64(s.Growth)), s.first)
	case s.Growth < 0:
		text = fmt.Sprintf("%s fewer than in #%d, ", model.Group(uint64(-s.Growth)), s.first)
	}
	return text + fmt.Sprintf("bounded: at most %s, in #%d", model.Group(most.count), most.snapshot)
}

// counts returns the number of objects over the snapshots.
func (s *Suspect) counts() (c course) {
	for _, p := range s.course {
		c = append(c, p.count)
	}
	return c
}

// grewBy returns by how much it grew, in objects, or in bytes if there are as many as before.
func (s *Suspect) grewBy(since string) string {
	switch {
	case s.Growth > 0 && s.course[0].count == 0:
		return fmt.Sprintf("all are new %s", since)
	case s.Growth > 0:
		return fmt.Sprintf("grew by %s %s", model.Group(uint64(s.Growth)), since)
	case s.GrowthBytes > 0:
		return fmt.Sprintf("as many, but %v larger %s", model.Bytes(s.GrowthBytes), since)
	}
	last := s.course[len(s.course)-1]
	return fmt.Sprintf("grew to %s by #%d", model.Group(last.count), last.snapshot)
}

// howOften returns in how many of the snapshots there were more than in the one before.
func (s *Suspect) howOften() string {
	steps := len(s.course) - 1
	if steps < 2 {
		return ""
	}
	up := 0
	for i := range steps {
		if s.course[i+1].isMore(s.course[i]) {
			up++
		}
	}
	if up == steps {
		return ", in every snapshot"
	}
	return fmt.Sprintf(", in %d of %d snapshots", up, steps)
}

// step returns the two snapshots between which most were added.
func (s *Suspect) step() (from, to moment) {
	from, to = s.course[0], s.course[0]
	for i := range s.course[1:] {
		if a, b := s.course[i], s.course[i+1]; b.count > a.count && b.count-a.count > to.count-from.count {
			from, to = a, b
		}
	}
	return from, to
}

// level reports whether all snapshots have the same number.
func (s *Suspect) level() bool {
	for _, p := range s.course {
		if p.count != s.course[0].count {
			return false
		}
	}
	return true
}
