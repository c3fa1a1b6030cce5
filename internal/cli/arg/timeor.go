package arg

import "github.com/memtui/memtui/model"

// TimeOr is the value of --from and --to. The contract of the command line gives these flags several meanings: a time
// for most commands, for convert also the format to write, for fleet the place. Given twice, --to may say both a time
// and a format.
type TimeOr struct {
	model.Moment
	Words []string // values that are not times
	given string
	err   error
}

// TimeAt returns a time.
func TimeAt(m model.Moment) TimeOr { return TimeOr{Moment: m} }

// UnmarshalText reads any value.
func (t *TimeOr) UnmarshalText(text []byte) error {
	t.given = string(text)
	m, err := model.ParseMoment(t.given)
	if err != nil {
		t.Words, t.err = append(t.Words, t.given), err
		return nil
	}
	t.Moment = m
	return nil
}

// Place returns the last value as it was given.
func (t *TimeOr) Place() string { return t.given }

// NoTime returns why a value is not a time, nil if all are.
func (t *TimeOr) NoTime() error { return t.err }
