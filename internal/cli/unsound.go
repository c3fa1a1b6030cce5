package cli

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/memtui/memtui/model/sections"
)

// errUnsound is the error for output that is based on a damaged cached file.
var errUnsound = errors.New("what an earlier run kept of this file is damaged: it was discarded, the next run reads the file again")

// soundWriter writes only output that is based on intact files: the files in use are verified before the first write.
type soundWriter struct {
	io.Writer
	ctx   context.Context
	uses  *sections.Uses
	begun bool // something was written
}

// Write implements io.Writer.
func (w *soundWriter) Write(b []byte) (int, error) {
	if w.uses.Verify(w.ctx) != nil && w.ctx.Err() == nil {
		return 0, errUnsound
	}
	w.begun = true
	return w.Writer.Write(b)
}

// sound fails where what was made so far is made of a damaged file. What a screen saves is made of what the screen
// shows, which is read again when a file turns out to be damaged.
func (a *app) sound() error {
	if a.written != nil && a.written.uses.Verify(a.written.ctx) != nil && a.written.ctx.Err() == nil {
		return errUnsound
	}
	return nil
}

// mostRuns is the maximum number of times that a command runs. A snapshot and its dominators are separate files, so
// their damage is found in separate runs.
const mostRuns = 4

// runSound runs the command, and again if its output would be based on a damaged file that an earlier run cached. Such
// a file has been discarded by then. ended is that of [app.runUntil].
func (a *app) runSound(ctx context.Context) (err error, ended bool) {
	for runs := 1; ; runs++ {
		uses := &sections.Uses{}
		a.written = &soundWriter{Writer: a.env.Stdout, ctx: ctx, uses: uses}
		a.out = bufio.NewWriterSize(a.written, 1<<16)
		if err, ended = a.runUntil(uses.In(ctx)); !ended {
			return err, false
		}
		var flushed error
		if !errors.Is(err, errUnsound) {
			flushed = a.out.Flush()
		}
		unsound := errors.Is(err, errUnsound) || errors.Is(flushed, errUnsound)
		if unsound && runs < mostRuns && !a.written.begun {
			continue
		}
		switch {
		case unsound:
			return inputError(errUnsound), true
		case err == nil && flushed != nil:
			return inputError(errors.New("standard output: " + flushed.Error())), true
		}
		return err, true
	}
}

// runTold runs the command. It fails if the command used a damaged file, even if the command panicked because of it.
func (a *app) runTold(ctx context.Context) (err error) {
	defer func() {
		if a.screen || a.sound() == nil {
			return // a panic continues
		}
		_ = recover()
		err = errUnsound
	}()
	return a.run(ctx)
}
