// Package ui is what screens share: the interfaces by which the frame knows them, what they may use of the program
// ([Env]), answers that are computed off the event loop ([Lazy]), what is open, and panes, charts, tables and texts
// that several of them show.
//
// Everything here belongs to the event loop's goroutine, except where a comment says otherwise.
package ui
