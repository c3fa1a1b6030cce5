package clickhouse

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/model"
)

// names are what a recording is of.
type names struct{ service, version, host string }

func (n names) String() string {
	return strings.Join([]string{fleet.Text(n.service), fleet.Text(n.version), fleet.Text(n.host)}, ", ")
}

// agree removes recordings that another program has added at the same time under another name: neither saw that of the
// other, and both would count. The first by name stays, whichever program is the last to look. Every program looks after
// it has added, so that one sees both.
func (s *Store) agree(ctx context.Context, added []fleet.Recording) error {
	for part := range slices.Chunk(added, keysAtOnce) {
		var numbers []string
		for i := range part {
			numbers = append(numbers, strconv.FormatUint(part[i].Recording, 10))
		}
		rows, err := s.ask(ctx, fmt.Sprintf("SELECT recording, service, version, host FROM %s.recordings WHERE recording IN (%s) "+
			"GROUP BY recording, service, version, host ORDER BY recording, service, version, host", s.database, strings.Join(numbers, ", ")))
		if err != nil {
			return err
		}
		if err := s.keepFirst(ctx, rows); err != nil {
			return err
		}
	}
	return nil
}

// keepFirst removes all but the first name of each recording. Rows have the recording and its names, sorted.
func (s *Store) keepFirst(ctx context.Context, rows [][]string) error {
	stays, others, services := map[string]names{}, map[names][]string{}, map[string][]string{}
	count := 0
	for _, row := range rows {
		if len(row) != 4 {
			return fmt.Errorf("the engine's answer has %d columns instead of 4", len(row))
		}
		number, n := row[0], names{row[1], row[2], row[3]}
		if _, err := strconv.ParseUint(number, 10, 64); err != nil {
			return fmt.Errorf("the engine's answer: %w", err)
		}
		first, ok := stays[number]
		if !ok {
			stays[number] = n
			continue
		}
		count++
		others[n] = append(others[n], number)
		if n.service != first.service {
			services[n.service] = append(services[n.service], number)
		}
	}
	if count == 0 {
		return nil
	}
	for n, numbers := range others {
		for _, table := range []string{"sites", "leaks", "recordings"} {
			if err := s.drop(ctx, table, fmt.Sprintf("(service, version, host) = (%s) AND recording IN (%s)", n, strings.Join(numbers, ", "))); err != nil {
				return err
			}
		}
	}
	for service, numbers := range services {
		for _, table := range []string{"curve", "types", "pages"} {
			if err := s.drop(ctx, table, fmt.Sprintf("service = %s AND recording IN (%s)", fleet.Text(service), strings.Join(numbers, ", "))); err != nil {
				return err
			}
		}
	}
	s.opt.Note(fmt.Sprintf("another program added %s at the same time under another name: each counts once, as fleet list names it",
		model.Counted(uint64(count), "recording")))
	return nil
}

// drop removes rows of a table, and returns when they are gone.
func (s *Store) drop(ctx context.Context, table, condition string) error {
	if _, err := s.exec(ctx, fmt.Sprintf("ALTER TABLE %s.%s DELETE WHERE %s", s.database, table, condition), nil); err != nil {
		return err
	}
	return s.settle(ctx, table)
}
