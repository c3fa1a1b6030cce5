package cli

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/memtui/memtui/model/sections"
)

// errUnsound says that what is about to be written was made of a kept file that is damaged.
var errUnsound = errors.New("what an earlier run kept of this file is damaged: it was discarded, the next run reads the file again")

// soundWriter writes only what is made of files that are whole: those that were taken into use are verified first.
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

// sound fails where what was made so far is made of a damaged file.
func (a *app) sound() error {
	if a.written.uses.Verify(a.written.ctx) != nil && a.written.ctx.Err() == nil {
		return errUnsound
	}
	return nil
}

// runSound runs the command, and once more where what it was about to write is made of a file that an earlier run kept
// and that turns out to be damaged: it is discarded then. ended is that of [app.runUntil].
func (a *app) runSound(ctx context.Context) (err error, ended bool) {
	for again := false; ; again = true {
		uses := &sections.Uses{}
		a.written = &soundWriter{Writer: a.env.Stdout, ctx: ctx, uses: uses}
		a.out = bufio.NewWriterSize(a.written, 1<<16)
		if err, ended = a.runUntil(uses.In(ctx)); !ended {
			return err, false
		}
		flushed := a.out.Flush()
		unsound := errors.Is(err, errUnsound) || errors.Is(flushed, errUnsound) || !a.screen && a.sound() != nil
		if unsound && !again && !a.written.begun {
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

// runTold runs the command. Where it breaks off because what it reads is made of a damaged file, that is its error.
func (a *app) runTold(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if a.sound() == nil {
				panic(p)
			}
			err = errUnsound
		}
	}()
	return a.run(ctx)
}
