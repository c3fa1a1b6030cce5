package term

import (
	"encoding/base64"
	"fmt"
	"sync"
)

// maxClipboard bounds an OSC 52 text in base64; several terminals silently drop longer ones.
const maxClipboard = 74994

// Copy sends text to the terminal's clipboard (OSC 52, which works across ssh). Control bytes other than newlines and
// tabs are replaced. No terminal confirms: ok means only that the text was sent; then note is half a sentence about
// what the copy depends on, or "". Otherwise note is why it was not sent. UI goroutine only.
func (t *Terminal) Copy(text string) (ok bool, note string) {
	if !t.screen.caps.Clipboard {
		return false, "this terminal has no clipboard that programs can write to"
	}
	encoded := base64.StdEncoding.EncodeToString([]byte(printable(text)))
	if len(encoded) > maxClipboard {
		return false, fmt.Sprintf("%d bytes are more than the %d that terminals take",
			len(text), maxClipboard/4*3)
	}
	t.screen.later(func() {
		inner := t.screen.Screen
		if t.tty == nil {
			inner.SetClipboard([]byte(printable(text)))
			return
		}
		if lock, can := inner.(sync.Locker); can { // not into a frame
			lock.Lock()
			defer lock.Unlock()
		}
		_, _ = t.tty.Write([]byte("\x1b]52;c;" + encoded + "\x1b\\"))
	})
	if t.screen.caps.Tmux {
		return true, "tmux needs set-clipboard on"
	}
	return true, ""
}
