package term

import (
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// mouse converts tcell's reports (where it is, which buttons are down) to tview's actions, like tview's Application.
type mouse struct {
	x, y         int // where it was last
	downX, downY int // where a button was last pressed
	buttons      tcell.ButtonMask
	clicked      time.Time // when the last single click was
	capturing    tview.Primitive
}

// mouseButton is the actions of a button.
type mouseButton struct {
	button                  tcell.ButtonMask
	down, up, click, double tview.MouseAction
}

var mouseButtons = [...]mouseButton{
	{tcell.ButtonPrimary, tview.MouseLeftDown, tview.MouseLeftUp, tview.MouseLeftClick, tview.MouseLeftDoubleClick},
	{tcell.ButtonMiddle, tview.MouseMiddleDown, tview.MouseMiddleUp, tview.MouseMiddleClick, tview.MouseMiddleDoubleClick},
	{tcell.ButtonSecondary, tview.MouseRightDown, tview.MouseRightUp, tview.MouseRightClick, tview.MouseRightDoubleClick},
}

var mouseWheel = [...]struct {
	button tcell.ButtonMask
	action tview.MouseAction
}{
	{tcell.WheelUp, tview.MouseScrollUp},
	{tcell.WheelDown, tview.MouseScrollDown},
	{tcell.WheelLeft, tview.MouseScrollLeft},
	{tcell.WheelRight, tview.MouseScrollRight},
}

// fire sends the actions of a report to root, or the primitive that captured the mouse, and reports whether one was
// consumed.
func (m *mouse) fire(root tview.Primitive, e *tcell.EventMouse, setFocus func(tview.Primitive)) bool {
	consumed := false
	target := tview.Primitive(nil) // all actions of one report go to the same
	send := func(action tview.MouseAction) {
		if m.capturing != nil {
			target = m.capturing
		}
		to := target
		if to == nil {
			to = root
		}
		if to == nil || to.MouseHandler() == nil {
			return
		}
		taken, capture := to.MouseHandler()(action, e, setFocus)
		m.capturing = capture
		consumed = consumed || taken
	}
	x, y := e.Position()
	if x != m.x || y != m.y {
		send(tview.MouseMove)
		m.x, m.y = x, y
	}
	for _, b := range mouseButtons {
		m.button(b, e, send)
	}
	m.buttons = e.Buttons()
	for _, w := range mouseWheel {
		if e.Buttons()&w.button != 0 {
			send(w.action)
		}
	}
	return consumed
}

// button sends the actions of one button since the last report.
func (m *mouse) button(b mouseButton, e *tcell.EventMouse, send func(tview.MouseAction)) {
	if (e.Buttons()^m.buttons)&b.button == 0 {
		return
	}
	if e.Buttons()&b.button != 0 {
		send(b.down)
		m.downX, m.downY = m.x, m.y
		return
	}
	send(b.up)
	if m.x != m.downX || m.y != m.downY {
		return
	}
	if now := time.Now(); now.Sub(m.clicked) > tview.DoubleClickInterval {
		m.clicked = now
		send(b.click)
	} else {
		m.clicked = time.Time{}
		send(b.double)
	}
}
