//go:build unix

package term

import (
	"bytes"
	"io"
	"strings"
	"sync"

	"github.com/gdamore/tcell/v2"
	"github.com/gdamore/tcell/v2/terminfo"
)

// drawn is what is known of tcell's screens beyond tcell.Screen: what they have drawn.
type drawn interface {
	sync.Locker
	GetCells() *tcell.CellBuffer
}

// paintGround returns what fills a terminal that shows nothing yet with blanks of
// a style, and tells tcell, or does nothing. Most cells of a frame are such
// blanks, and tcell takes longer for one than for the rest of what is done about
// it.
func paintGround(out tcell.Screen, tty io.Writer, ti *terminfo.Terminfo) func(style tcell.Style) {
	return func(style tcell.Style) {
		fg, bg, _ := style.Decompose()
		known, ok := out.(drawn)
		if !ok || !xtermLike(ti) || style != tcell.StyleDefault.Foreground(fg).Background(bg) {
			return
		}
		out.SetStyle(style)
		out.Sync() // selects the colors and clears the screen, which not every terminal does in them
		out.SetStyle(tcell.StyleDefault)
		known.Lock()
		defer known.Unlock()
		cells := known.GetCells()
		w, h := cells.Size()
		var b bytes.Buffer
		blanks := strings.Repeat(" ", w)
		for y := range h {
			b.WriteString(ti.TGoto(0, y))
			b.WriteString(blanks)
		}
		if _, err := tty.Write(b.Bytes()); err != nil {
			return
		}
		cells.Fill(' ', style)
		for i := range w * h {
			cells.SetDirty(i%w, i/w, false)
		}
	}
}
