package model

import (
	"fmt"
	"strconv"
	"strings"
)

// Moment is a point in time, or a length of time, as users write it. A share of the duration, the peak and the end
// become times only with a file, and whether a time or a plain number is meant, its [Axis] says. The zero Moment was not
// given.
type Moment struct {
	kind  momentKind
	time  Time    // of those that are absolute
	share Decimal // of the duration, in percent
}

// Axis is what moments of a file are on.
type Axis struct {
	End, Peak Time
	Unit      string // of times that are not microseconds, such as "instructions"
}

type momentKind uint8

const (
	momentUnset momentKind = iota
	momentTime
	momentCount // a plain number
	momentShare
	momentPeak
	momentEnd
)

// MomentAt returns the moment of a time since the start of a file.
func MomentAt(t Time) Moment { return Moment{kind: momentTime, time: max(t, 0)} }

// MomentEnd returns the end of a file, whenever that is.
func MomentEnd() Moment { return Moment{kind: momentEnd} }

// MomentPeak returns the peak of a file, whenever that is.
func MomentPeak() Moment { return Moment{kind: momentPeak} }

// ParseMoment reads 12.5s, 350ms, 900us, 5min, 4h3m, 5min, 50% of the duration, start, peak, end, or a plain number, which is
// for axes of another unit than time. Upper and lower case are the same. Times are rounded down to microseconds; what is
// beyond [MaxTime] becomes MaxTime.
func ParseMoment(text string) (Moment, error) {
	s := strings.ToLower(strings.TrimSpace(text))
	switch s {
	case "peak":
		return MomentPeak(), nil
	case "end":
		return MomentEnd(), nil
	case "start":
		return MomentAt(0), nil
	}
	if number, ok := strings.CutSuffix(s, "%"); ok {
		d, rest, err := CutDecimal(strings.TrimSpace(number))
		if err != nil || rest != "" || d.Over(100) {
			return Moment{}, fmt.Errorf("invalid share of the duration %q: write 0%% to 100%%", s)
		}
		return Moment{kind: momentShare, share: d}, nil
	}
	if d, rest, err := CutDecimal(s); err == nil && rest == "" && !strings.Contains(s, ".") {
		n := Time(min(d.Times(1, 1), uint64(MaxTime)))
		if n == 0 { // on every axis
			return MomentAt(0), nil
		}
		return Moment{kind: momentCount, time: n}, nil
	}
	t, err := ParseTime(s)
	if err != nil {
		return Moment{}, err
	}
	return MomentAt(t), nil
}

// ParseLength reads a length of time, such as 10s or 10% of the duration: a [Moment] that is neither the peak nor the
// end.
func ParseLength(text string) (Moment, error) {
	m, err := ParseMoment(text)
	share := strings.HasSuffix(strings.TrimSpace(text), "%")
	if err == nil && !m.IsLength() || err != nil && !share {
		const how = "write a time such as 350ms, 10s, 5min or 4h3m, or a share of the duration such as 10%%"
		return Moment{}, fmt.Errorf("invalid duration %q: "+how, strings.TrimSpace(text))
	}
	return m, err
}

// UnmarshalText implements [encoding.TextUnmarshaler] with [ParseMoment].
func (m *Moment) UnmarshalText(text []byte) (err error) {
	*m, err = ParseMoment(string(text))
	return err
}

// Given reports whether m was given.
func (m Moment) Given() bool { return m.kind != momentUnset }

// IsPeak reports whether m is the peak.
func (m Moment) IsPeak() bool { return m.kind == momentPeak }

// IsEnd reports whether m is the end of the file.
func (m Moment) IsEnd() bool { return m.kind == momentEnd }

// IsLength reports whether m may also be a length of time.
func (m Moment) IsLength() bool { return m.kind == momentTime || m.kind == momentShare }

// In returns where m is on an axis, its end if m was not given; that may be beyond the end. It fails if m is a time and
// the axis has another unit, or a plain number and the axis is time.
func (m Moment) In(x Axis) (Time, error) {
	switch {
	case m.kind == momentCount && x.Unit == "":
		return 0, fmt.Errorf("invalid time %q: a unit is missing; write us, ms, s, min or h", m)
	case m.kind == momentTime && m.time > 0 && x.Unit != "":
		return 0, fmt.Errorf("invalid position %s: the unit is %s; write a plain number such as %d", m.time, Clean(x.Unit), x.End/2)
	case m.kind == momentPeak:
		return x.Peak, nil
	}
	return m.Of(x.End), nil
}

// Of returns m as a length of something that is as long as whole; whole if m is no length.
func (m Moment) Of(whole Time) Time {
	switch m.kind {
	case momentTime, momentCount:
		return m.time
	case momentShare:
		return Time(m.share.Times(uint64(whole), 100))
	}
	return whole
}

// String returns m in the syntax of [ParseMoment], "" if m was not given.
func (m Moment) String() string {
	switch m.kind {
	case momentTime:
		return strconv.FormatInt(int64(m.time), 10) + "us"
	case momentCount:
		return strconv.FormatInt(int64(m.time), 10)
	case momentShare:
		return m.share.String() + "%"
	case momentPeak:
		return "peak"
	case momentEnd:
		return "end"
	}
	return ""
}

// Moment returns the moment at t, as users write it on this axis.
func (x Axis) Moment(t Time) Moment {
	if x.Unit != "" && t > 0 {
		return Moment{kind: momentCount, time: t}
	}
	return MomentAt(t)
}

// Check refuses a time beyond the end. If they differ by less than is usually shown, the message has both exactly.
func (x Axis) Check(t Time) error {
	if t <= x.End {
		return nil
	}
	at, last := t.In(x.Unit), x.End.In(x.Unit)
	if at == last {
		unit := Clean(x.Unit)
		if unit == "" {
			unit = "µs"
		}
		at, last = Group(uint64(t))+" "+unit, Group(uint64(x.End))+" "+unit
	}
	return fmt.Errorf("%s is beyond the end of the recording, which is at %s", at, last)
}

// Period is a range of time as users write it. The zero Period was not given.
type Period struct{ From, To Moment }

// ParsePeriod reads 10s..20s. A missing time before the dots means the start, one after them the end.
func ParsePeriod(text string) (Period, error) {
	from, to, ok := strings.Cut(text, "..")
	if !ok {
		return Period{}, fmt.Errorf("invalid range %q: write 10s..20s", strings.TrimSpace(text))
	}
	p := Period{MomentAt(0), MomentEnd()}
	var err error
	if strings.TrimSpace(from) != "" {
		if p.From, err = ParseMoment(from); err != nil {
			return Period{}, err
		}
	}
	if strings.TrimSpace(to) != "" {
		if p.To, err = ParseMoment(to); err != nil {
			return Period{}, err
		}
	}
	return p, nil
}

// Given reports whether p was given.
func (p Period) Given() bool { return p.From.Given() || p.To.Given() }

// In returns where p is on an axis; a side that was not given is [NoTime]. It fails as [Moment.In] does, if a side is
// beyond the end, and if the range ends before it begins.
func (p Period) In(x Axis) (from, to Time, err error) {
	from, to = NoTime, NoTime
	if p.From.Given() {
		if from, err = p.From.In(x); err != nil {
			return from, to, err
		}
	}
	if p.To.Given() {
		if to, err = p.To.In(x); err != nil {
			return from, to, err
		}
	}
	if p.To.Given() && from > to {
		return from, to, fmt.Errorf("the range ends at %s, before it begins at %s", to.In(x.Unit), from.In(x.Unit))
	}
	return from, to, x.Check(max(from, to))
}

// Reversed reports whether p ends before it begins on every axis.
func (p Period) Reversed() bool {
	return p.From.kind == momentTime && p.To.kind == momentTime && p.From.time > p.To.time
}

// String returns p in the syntax of [ParsePeriod], "" if p was not given.
func (p Period) String() string {
	if !p.Given() {
		return ""
	}
	return p.From.String() + ".." + p.To.String()
}

// Place is a part of a file as users write it: an instant, a range, or the number of a snapshot, layout or window. Only
// with the file its meaning is known. The zero Place was not given.
type Place struct {
	At     Moment
	Over   Period
	Number *int // also set if the text is an instant as well: 0
}

// ParsePlace reads 12s, 10s..20s, 3, #3 or #-1.
func ParsePlace(text string) (p Place, err error) {
	s := strings.TrimSpace(text)
	if n, err := strconv.Atoi(strings.TrimPrefix(s, "#")); err == nil {
		p.Number = &n
		if s == "0" {
			p.At = MomentAt(0)
		}
		return p, nil
	}
	if strings.Contains(s, "..") {
		p.Over, err = ParsePeriod(s)
		return p, err
	}
	p.At, err = ParseMoment(s)
	return p, err
}

// UnmarshalText implements [encoding.TextUnmarshaler] with [ParsePlace].
func (p *Place) UnmarshalText(text []byte) (err error) {
	*p, err = ParsePlace(string(text))
	return err
}

// Given reports whether p was given.
func (p *Place) Given() bool { return p.At.Given() || p.Over.Given() || p.Number != nil }

// String returns p in the syntax of [ParsePlace], "" if p was not given. A number is written as such, even if it could
// be an instant.
func (p Place) String() string {
	switch {
	case p.Number != nil:
		return "#" + strconv.Itoa(*p.Number)
	case p.Over.Given():
		return p.Over.String()
	}
	return p.At.String()
}
