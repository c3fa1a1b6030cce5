package clickhouse

import (
	"context"
	"fmt"
	"reflect"
	"strconv"
	"strings"

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
	}
	s.ready = true
	return nil
}

// Known reports whether a recording was added already.
func (s *Store) Known(ctx context.Context, recording uint64) (bool, error) {
	if err := s.prepare(ctx); err != nil {
		return false, err
	}
	rows, err := s.ask(ctx, fmt.Sprintf("SELECT recording FROM %s.recordings WHERE recording = %d LIMIT 1", s.database, recording))
	return len(rows) > 0, err
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
	return nil
}

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
	rows, err := s.ask(ctx, q.SQL(s.Dialect()))
	if err != nil {
		return nil, err
	}
	return q.Scan(rows)
}

// Frames returns the frames of a stack, leaf first; nil if the fleet has none of that key.
func (s *Store) Frames(ctx context.Context, key fleet.Key) ([]string, error) {
	rows, err := s.ask(ctx,
		fmt.Sprintf("SELECT arrayJoin(frames) FROM (SELECT frames FROM %s.stacks WHERE recipe = %s AND stack = %d LIMIT 1)", s.database,
			fleet.Text(fleet.Recipe), uint64(key)))
	var frames []string
	for _, row := range rows {
		frames = append(frames, row[0])
	}
	return frames, err
}
