package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/export/report"
	printed "github.com/memtui/memtui/export/report/fleet"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/model"
)

// moment is an instant as the user writes it: a date, or a date and a time.
type moment struct{ time.Time }

// UnmarshalText reads a moment. Dates are days in UTC.
func (m *moment) UnmarshalText(text []byte) (err error) {
	for _, layout := range []string{time.DateOnly, time.RFC3339Nano, time.DateTime, "2006-01-02T15:04:05", "2006-01-02 15:04"} {
		if m.Time, err = time.Parse(layout, string(text)); err == nil {
			break
		}
	}
	if err != nil || m.Year() < 1970 || m.Year() > 9999 {
		return fmt.Errorf("invalid time %q: write 2026-11-24 or 2026-11-24T15:04:05Z", text)
	}
	return nil
}

// age is how old something is, or since when, as the user writes it: 90d, 12h, 2026-11-24.
type age struct {
	long  time.Duration
	since moment
}

var days = regexp.MustCompile(`^([0-9]{1,5})([dw])$`)

// UnmarshalText reads an age.
func (a *age) UnmarshalText(text []byte) error {
	if m := days.FindStringSubmatch(string(text)); m != nil {
		n, err := strconv.Atoi(m[1])
		a.long = time.Duration(n) * 24 * time.Hour * map[string]time.Duration{"d": 1, "w": 7}[m[2]]
		return err
	}
	var long arg.Duration
	if long.UnmarshalText(text) == nil {
		a.long = time.Duration(long)
		return nil
	}
	if a.since.UnmarshalText(text) != nil {
		return fmt.Errorf("invalid age %q: write 90d, 4w, 12h or a date, 2026-11-24", text)
	}
	return nil
}

// selectFlags select recordings of a fleet.
type selectFlags struct {
	ID []string `arg:"" optional:"" name:"id" help:"Beginnings of ids, as fleet list prints them: at least eight digits."`
	filterFlags
	Version   string `placeholder:"NAME" help:"Only recordings of this version."`
	OlderThan age    `placeholder:"AGE" help:"Only recordings that began before: 90d, 4w, 12h, or a date."`
	placeFlags
}

var beginning = regexp.MustCompile(`^[0-9a-f]{8,64}$`)

// filter returns the filter of the flags.
func (f *selectFlags) filter() (fleet.Filter, error) {
	out := f.filterFlags.filter()
	out.Version = f.Version
	for _, id := range f.ID {
		id = strings.ToLower(id)
		if !beginning.MatchString(id) {
			return out, fail.Usage(fmt.Errorf("invalid id %q: eight to 64 hexadecimal digits, as fleet list prints them", model.Clean(id)))
		}
		out.IDs = append(out.IDs, id)
	}
	switch {
	case f.OlderThan.long != 0:
		out.Until = time.Now().Add(-f.OlderThan.long).UnixMicro()
	case !f.OlderThan.since.IsZero():
		out.Until = cmp.Or(f.OlderThan.since.UnixMicro(), 1)
	}
	return out, labels(f.Label)
}

// listCmd lists recordings.
type listCmd struct{ selectFlags }

// Run lists them.
func (c *listCmd) Run(ctx context.Context, h *Host) error {
	f, err := c.filter()
	if err != nil {
		return err
	}
	s, err := h.open("from", h.From, &c.placeFlags)
	if err != nil {
		return err
	}
	defer h.warn(s)
	list, err := s.List(ctx, &f)
	if err != nil {
		return failed(ctx, err)
	}
	if len(list) == 0 {
		if err := unknownOf(ctx, s, &f); err != nil {
			return err
		}
	}
	return printed.NewList(list, h.Limit).Write(h.Out, h.Format, h.Style)
}

// removeCmd removes recordings.
type removeCmd struct {
	selectFlags
	DryRun bool `help:"Only say which recordings would be removed."`
}

// Run removes them.
func (c *removeCmd) Run(ctx context.Context, h *Host) error {
	f, err := c.filter()
	if err != nil {
		return err
	}
	if f.IsEmpty() {
		return fail.Usage(errors.New("say which recordings: ids, --service, --version, --host, --label or --older-than"))
	}
	s, err := h.open("from", h.From, &c.placeFlags)
	if err != nil {
		return err
	}
	defer h.warn(s)
	list, err := s.List(ctx, &f)
	if err == nil && !c.DryRun {
		err = s.Remove(ctx, list)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fail.Input(fmt.Errorf("%w; removing again removes what is left", err))
	}
	out := printed.NewRemoved(list, c.DryRun)
	if h.Format == "json" {
		return report.WriteJSON(h.Out, out)
	}
	word := map[bool]string{true: "would remove  ", false: "removed  "}[c.DryRun]
	for i := range out.Removed {
		fmt.Fprintln(h.Out, word+out.Removed[i].Line())
	}
	if len(list) == 0 {
		_, err = fmt.Fprintln(h.Out, "the fleet has no such recordings: nothing to remove")
	}
	return err
}
