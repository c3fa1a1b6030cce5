package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memtui/memtui/analysis/fleet"
)

// prepare makes the database and its tables, unless they are there.
func (s *Store) prepare(ctx context.Context) error {
	if s.ready {
		return nil
	}
	if _, err := s.exec(ctx, "CREATE DATABASE IF NOT EXISTS "+s.database, nil); err != nil {
		return err
	}
	for _, t := range tables() {
		if _, err := s.exec(ctx, t.create(s.database), nil); err != nil {
			return err
		}
		if err := s.widen(ctx, &t); err != nil {
			return err
		}
	}
	s.ready = true
	return nil
}

// widen adds the columns that a table of an earlier version lacks.
func (s *Store) widen(ctx context.Context, t *table) error {
	rows, err := s.ask(ctx, fmt.Sprintf("SELECT name FROM system.columns WHERE database = %s AND table = %s", fleet.Text(s.database), fleet.Text(t.name)))
	if err != nil {
		return err
	}
	has := map[string]bool{}
	for _, row := range rows {
		has[row[0]] = true
	}
	names, types := columns(reflect.TypeOf(t.rows(&fleet.Batch{})).Elem())
	for i, name := range names {
		if has[name] || len(has) == 0 {
			continue
		}
		_, err := s.exec(ctx, fmt.Sprintf("ALTER TABLE %s.%s ADD COLUMN %s %s", s.database, t.name, name, types[i]), nil)
		if no := (*refusal)(nil); errors.As(err, &no) && no.code() == 44 { // another writer has added it
			err = nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Known returns a recording that was added already, nil if it was not.
func (s *Store) Known(ctx context.Context, recording uint64) (*fleet.Recording, error) {
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	rows, err := s.ask(ctx, fleet.KnownSQL(s.Dialect(), recording))
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	list, err := fleet.ScanRecordings(rows[:1])
	if err != nil {
		return nil, err
	}
	return &list[0], nil
}

// Add inserts a batch. If it fails, none or all of its recordings are there.
func (s *Store) Add(ctx context.Context, b *fleet.Batch) error {
	if err := s.prepare(ctx); err != nil {
		return err
	}
	lacks, err := s.newStacks(ctx, b.Stacks)
	if err != nil {
		return err
	}
	part := *b
	part.Stacks = lacks
	for _, t := range tables() {
		rows := reflect.ValueOf(t.rows(&part))
		if rows.Len() == 0 {
			continue
		}
		names, _ := columns(rows.Type().Elem())
		insert := fmt.Sprintf("INSERT INTO %s.%s (%s) FORMAT RowBinary", s.database, t.name, strings.Join(names, ", "))
		if _, err := s.exec(ctx, insert, encode(rows)); err != nil {
			return err
		}
	}
	for i := range lacks {
		s.stacks[lacks[i].Stack] = true
	}
	return s.agree(ctx, b.Recordings)
}

// AtOnce returns how many rows are added together: few large parts are faster to write and to read.
func (s *Store) AtOnce() int { return 200_000 }

// keysAtOnce is the number of keys in a query.
const keysAtOnce = 10_000

// newStacks returns the stacks that the server lacks: most of those of a recording were in an earlier one.
func (s *Store) newStacks(ctx context.Context, all []fleet.Stack) (lacks []fleet.Stack, err error) {
	var unsure []string
	asked := map[uint64]bool{}
	for i := range all {
		if key := all[i].Stack; !s.stacks[key] && !asked[key] {
			asked[key] = true
			lacks, unsure = append(lacks, all[i]), append(unsure, strconv.FormatUint(key, 10))
		}
	}
	for len(unsure) > 0 {
		n := min(len(unsure), keysAtOnce)
		rows, err := s.ask(ctx, fmt.Sprintf("SELECT DISTINCT stack FROM %s.stacks WHERE recipe = %s AND stack IN (%s)",
			s.database, fleet.Text(fleet.Recipe),
			strings.Join(unsure[:n], ",")))
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			key, err := strconv.ParseUint(row[0], 10, 64)
			if err != nil {
				return nil, fmt.Errorf("the engine's answer: %w", err)
			}
			s.stacks[key] = true
		}
		unsure = unsure[n:]
	}
	n := 0
	for i := range lacks {
		if !s.stacks[lacks[i].Stack] {
			lacks[n] = lacks[i]
			n++
		}
	}
	return lacks[:n], nil
}

// Dialect returns the SQL of the store.
func (s *Store) Dialect() fleet.Dialect { return fleet.ClickHouse(s.database) }

// Ask returns the answer to a question.
func (s *Store) Ask(ctx context.Context, q *fleet.Question) (*fleet.Answer, error) {
	a, err := s.bounded(ctx, q)
	if err == nil && a == nil {
		a, err = s.whole(ctx, q)
	}
	if err != nil {
		return nil, err
	}
	rows, err := s.ask(ctx, q.BasisSQL(s.Dialect()))
	if err == nil {
		a.Basis, err = q.ScanBasis(rows)
	}
	return a, err
}

// answer returns the rows of the answer to a question.
func (s *Store) answer(ctx context.Context, q *fleet.Question) (*fleet.Answer, error) {
	rows, err := s.ask(ctx, q.SQL(s.Dialect()))
	if err != nil {
		return nil, err
	}
	return q.Scan(rows)
}

// whole returns the rows of the answer to a question about all things, in a fifth of the time where no row is there twice.
func (s *Store) whole(ctx context.Context, q *fleet.Question) (*fleet.Answer, error) {
	repeated := q.RepeatedSQL(s.Dialect())
	if repeated == "" {
		return s.answer(ctx, q)
	}
	rows, err := s.ask(ctx, repeated)
	if err == nil && len(rows) > 0 {
		q, err = q.Distinct(rows)
	}
	if err != nil {
		return nil, err
	}
	return s.answer(ctx, q)
}

// bounded returns the rows of the answer to a question, found among the few sites that may have the most: in half the
// time. It is nil where those need not be all.
func (s *Store) bounded(ctx context.Context, q *fleet.Question) (*fleet.Answer, error) {
	if !q.HasBounds() {
		return nil, nil
	}
	rows, err := s.ask(ctx, q.BoundsSQL(s.Dialect()))
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	bounds, err := q.ScanBounds(rows)
	if err != nil {
		return nil, err
	}
	few := *q
	few.Only = bounds.Only
	a, err := s.answer(ctx, &few)
	if err != nil || !bounds.Verify(q, a) {
		return nil, err
	}
	return a, nil
}

// Stack returns a stack, nil if the fleet has none of that key.
func (s *Store) Stack(ctx context.Context, key fleet.Key) (*fleet.Stack, error) {
	rows, err := s.ask(ctx, fmt.Sprintf("SELECT stack, recipe, function, file, module, arrayStringConcat(frames, '\\n'), arrayStringConcat(modules, '\\n') "+
		"FROM %s.stacks WHERE recipe = %s AND stack = %d LIMIT 1", s.database, fleet.Text(fleet.Recipe), uint64(key)))
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	if len(rows[0]) != 7 {
		return nil, fmt.Errorf("the engine's answer has %d columns instead of 7", len(rows[0]))
	}
	row := rows[0]
	return &fleet.Stack{Stack: uint64(key), Recipe: row[1], Function: row[2], File: row[3], Module: row[4],
		Frames: strings.Split(row[5], "\n"), Modules: strings.Split(row[6], "\n")}, nil
}

// List returns the recordings that a filter selects, the newest first, each once.
func (s *Store) List(ctx context.Context, f *fleet.Filter) ([]fleet.Recording, error) {
	rows, err := s.ask(ctx, f.ListSQL(s.Dialect()))
	if err != nil {
		return nil, err
	}
	all, err := fleet.ScanRecordings(rows)
	return fleet.Once(all), err
}

// Names returns the names that recordings have in a column: service, version, host or labels.
func (s *Store) Names(ctx context.Context, column string) (names []string, err error) {
	value := column
	if column == fleet.Labels {
		value = "arrayJoin(labels)"
	}
	rows, err := s.ask(ctx, fmt.Sprintf("SELECT DISTINCT %s AS name FROM %s.recordings WHERE recipe = %s ORDER BY name", value, s.database, fleet.Text(fleet.Recipe)))
	for _, row := range rows {
		names = append(names, row[0])
	}
	return names, err
}

// Places returns the names of all things of a kind.
func (s *Store) Places(ctx context.Context, what fleet.What) (list []fleet.Place, err error) {
	rows, err := s.ask(ctx, what.PlacesSQL(s.Dialect()))
	for _, row := range rows {
		if len(row) != 3 {
			return nil, fmt.Errorf("the engine's answer has %d columns instead of 3", len(row))
		}
		list = append(list, fleet.Place{Function: row[0], File: row[1], Type: row[2]})
	}
	return list, err
}

// Warnings returns nothing: a server has no damaged parts that it does not name itself.
func (s *Store) Warnings() []string { return nil }

// removedAtOnce is the number of recordings that one statement removes.
const removedAtOnce = 5_000

// Remove removes recordings. Their row in recordings goes last, so that a fault leaves them listed, and removing again
// removes the rest.
func (s *Store) Remove(ctx context.Context, list []fleet.Recording) error {
	for part := range slices.Chunk(list, removedAtOnce) {
		var numbers []string
		for i := range part {
			numbers = append(numbers, strconv.FormatUint(part[i].Recording, 10))
		}
		condition := "recording IN (" + strings.Join(numbers, ", ") + ")"
		all := slices.DeleteFunc(tables(), func(t table) bool { return t.name == "stacks" })
		for _, group := range [][]table{all[:len(all)-1], all[len(all)-1:]} {
			for _, t := range group {
				if _, err := s.exec(ctx, fmt.Sprintf("ALTER TABLE %s.%s DELETE WHERE %s", s.database, t.name, condition), nil); err != nil {
					return err
				}
			}
			for _, t := range group {
				if err := s.settle(ctx, t.name); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// settle waits until a table has no changes that go on.
func (s *Store) settle(ctx context.Context, table string) error {
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		rows, err := s.ask(ctx, fmt.Sprintf("SELECT mutation_id FROM system.mutations WHERE database = %s AND table = %s AND is_done = 0",
			fleet.Text(s.database), fleet.Text(table)))
		if err != nil || len(rows) == 0 {
			return err
		}
		if err := s.opt.Pause(ctx, wait); err != nil {
			return err
		}
	}
}
