// Package ui is what screens share: the interfaces by which the frame knows them, their access to the program ([Env]),
// answers computed off the event loop ([Lazy]), the open files, and panes, tables and texts that several of
// them show.
//
// Everything here belongs to the event loop's goroutine, except where a comment says otherwise.
package ui
