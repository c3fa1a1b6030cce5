// Package term owns the terminal's life: how it is opened, drawn, read, suspended and, whatever happens, restored.
//
// # Why there is no tview.Application
//
// The primitives are tview's; its Application is not used. Application.Stop deadlocks when input is pending,
// QueueUpdate blocks for ever before Run, after Stop and from the event loop, every key draws a complete frame, and keys
// and updates are not ordered. Terminal runs one loop instead: it handles all waiting keys, then all posted functions,
// then draws once.
//
// # Goroutines
//
//   - The loop (started by Run) is the UI goroutine: only it touches
//     primitives and the Screen's cells.
//   - The flusher (one per Screen) is the only user of tcell's screen, so that a slow
//     terminal delays frames, which are merged, but never keys. On terminals like xterm it writes frames itself, as
//     short as it can; tcell draws on others, and when the size changes.
//   - Everything else is started with Go or Background, which turn a panic into
//     an ordered end, and returns results through Post.
//
// # The way out
//
// Quit, Fail, a signal, a panic and a closed terminal all end in stop, which records the first reason. Run then lets
// the loop finish its handler (one second of grace), stops tcell while a goroutine reads the events that tcell would
// otherwise wait for, and if even that hangs (a terminal that accepts no more bytes) restores modes and screen itself.
// Only then it prints anything.
//
// A process that is killed, or that Go ends because it has no memory, does none of that. So a second process watches
// the terminal from the first frame, and restores it when the first one ends abnormally: see Guard. It does not start
// the program and wait for it, because then the first frame would wait for two processes, and signals and job control
// would need forwarding. Standard error goes through it, so that nothing is written over the screen.
package term
