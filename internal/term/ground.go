//go:build unix

package term

import (
	"bytes"
	"io"
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/gdamore/tcell/v2/terminfo"
)

// paintGround returns what fills a terminal that shows nothing yet with blanks of
// a style, or does nothing and returns false. Most cells of a frame are such
// blanks, and tcell takes longer for one than for the rest of what is done about
// it. Those that it was never given it takes for clean.
func paintGround(out tcell.Screen, tty io.Writer, ti *terminfo.Terminfo) func(style tcell.Style, w, h int) bool {
	return func(style tcell.Style, w, h int) bool {
		fg, bg, _ := style.Decompose()
		if !xtermLike(ti) || style != tcell.StyleDefault.Foreground(fg).Background(bg) {
			return false
		}
		out.SetStyle(style)
		out.Sync() // selects the colours and clears the screen, which not every terminal does in them
		out.SetStyle(tcell.StyleDefault)
		var b bytes.Buffer
		blanks := strings.Repeat(" ", w)
		for y := range h {
			b.WriteString(ti.TGoto(0, y))
			b.WriteString(blanks)
		}
		_, err := tty.Write(b.Bytes())
		return err == nil
	}
}
