package record

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/mlyze/journal"
	"github.com/memtui/memtui/model"
)

// Recover puts names into a trace whose recorder was killed, or had no room for them, from the journal next to it. What the journal has lost of
// its last line is not missed by any event.
func Recover(ctx context.Context, path string, look loaders.Symbols) ([]model.Problem, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	names, err := os.OpenFile(path+journal.Suffix, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no %s next to it: the recording is complete, or was not made by memtui record",
			path, path+journal.Suffix)
	}
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		if err = journal.Lock(f); err != nil {
			_ = f.Close()
			err = fmt.Errorf("%s is still being recorded: it will be complete when recording ends", path)
		}
	}
	if err != nil {
		_ = names.Close()
		return nil, err
	}
	t := &traceFile{path: path, f: f, w: bufio.NewWriter(f), names: names, notes: bufio.NewWriter(io.Discard),
		stacks: journal.NewNames(look)}
	facts := map[string]any{"recorder": "memtui", "stopped": "the recorder was killed, or its disk was full"}
	if err = t.unfinished(); err == nil {
		err = t.readJournal(ctx, facts)
	}
	if err != nil {
		_ = f.Close()
		_ = names.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t.finish(ctx, facts)
}

// unfinished checks that the file is one whose names are missing, and reads when it began.
func (t *traceFile) unfinished() error {
	var b [reserve]byte
	if _, err := io.ReadFull(t.f, b[:]); err != nil {
		return fmt.Errorf("it is shorter than the beginning of a recording: %w", err)
	}
	t.start = time.UnixMicro(int64(binary.LittleEndian.Uint64(b[8:])))
	if string(b[:]) != string(head(t.start, noNames(), reserve)) {
		return errors.New("it has names already")
	}
	return nil
}

// readJournal takes the notes of the journal up to the first that cannot be read.
func (t *traceFile) readJournal(ctx context.Context, facts map[string]any) error {
	r := journal.NewReader(t.names)
	for line := 0; ; line++ {
		if line%1000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		n, err := r.Next()
		if err != nil {
			break
		}
		if t.stacks.Take(&n) != nil {
			break
		}
	}
	facts["program"] = t.stacks.Program
	if t.stacks.Looked {
		facts["events"] = "looked"
	}
	if t.stacks.Attached {
		facts["began"] = "attached"
	}
	if s := t.sampling(); s != nil {
		facts["sampling"] = s
	}
	if list := t.stacks.Curves(); len(list) > 0 {
		facts["series"] = list
	}
	return nil
}
