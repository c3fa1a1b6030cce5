// Package term owns the terminal's life: how it is opened, drawn, asked for
// keys, suspended and, whatever happens, given back as it was found.
//
// # Why there is no tview.Application
//
// The primitives are tview's; its Application is not used. Application.Stop
// deadlocks when input is pending, QueueUpdate blocks for ever before Run,
// after Stop and from the event loop, every key draws a whole frame, and keys
// and updates have no order between them. Terminal runs one loop instead: it
// handles all keys that are waiting, then all posted functions, then draws
// once.
//
// # Goroutines
//
//   - The loop (started by Run) is the UI goroutine: it alone touches
//     primitives and the Screen's cells.
//   - The flusher (one per Screen) alone talks to tcell's screen, so that a slow
//     terminal delays frames, which are merged, and never keys.
//   - Everything else is started with Go or Background, which turn a panic into
//     an ordered end, and comes back through Post.
//
// # The way out
//
// Quit, Fail, a signal, a panic and a closed terminal all end in stop, which
// records the first reason. Run then lets the loop finish its handler (one
// second of grace), stops tcell while a goroutine reads the events that tcell
// would otherwise wait for, and when even that hangs (a terminal that takes no
// more bytes) restores modes and screen by hand. Only then anything is printed.
//
// A process that is killed, or that Go ends because it has no memory, goes no
// such way. So a second process watches over the terminal from the first frame
// on, and restores it when the first one ends without a word: see Guard. It is
// none that starts the program and waits for it, because the first frame would
// wait for two processes then, and signals and job control would need to be
// passed on. Standard error goes through it, so that nothing is written over the
// screen.
package term
