// Package journal is about the names of a recording that goes on. A trace has its names before its events, where they
// cannot grow. So the recorder keeps them in a file next to the trace, FILE.names, until the recording ends: one JSON
// object a line, appended before any event that needs it. What is cut off at its end is not missed by any event.
//
// The recorder writes notes and takes them into [Names]; whoever shows a recording that goes on, or completes one whose
// recorder was killed, reads them with a [Reader].
package journal
