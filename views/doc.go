// Package views is the full-screen program: one [state.State] that says which file, instant, range, filter, cost and
// selection everything is about, and screens that show it.
//
// A key becomes an action (package keymap), the action goes to the focused screen and then to the program, and what it
// wants to change becomes an intent. State.Apply is pure: it makes the next state out of an intent, and every screen is
// shown that state. Screens draw what is visible and compute nothing themselves: whatever takes longer than a frame is
// requested from analysis through a lazy value, off the event loop, and requests for data that is no longer on screen
// are canceled.
//
// The frame is here: it owns the state, routes keys, and shows prompts, lists and help over a screen. It knows the
// screens through the interfaces of package ui; each kind of file has a package of screens below, and none knows
// another.
//
// Everything here belongs to the event loop's goroutine, except where a comment says otherwise.
package views
