// Package record makes recordings of running programs: allocation traces of programs that it starts, and memory dumps
// with page layouts of any process.
//
// # How a program is recorded
//
// A small library, hook, is preloaded into the program. It asks the recorder for a ring in shared memory and reports
// what the program allocates and frees there, without a system call, so that nothing is lost when the program is
// killed. The recorder reads the ring, and it alone writes the file: see trace.
//
// # Python
//
// In a program that has CPython, the hook wraps its allocators as well, before Python starts, and reads the frames of
// Python where a block is reported: each frame is sent once with its file, function and line, and stacks refer to it.
// It reads them only after it has compared all it reads with what Python says: see hook/src/python.h. Where that does
// not hold, [RunPure] records with a module of Python instead, which writes the file by itself.
//
// # The file
//
// Metadata precede events in a trace, yet names are known last. So the file begins with empty metadata, padded with
// spaces, and is a valid trace at every moment; what the names will be made of goes to a journal next to it. In the
// end the events are moved, where the file system can without copying, and the metadata are written. [Recover] does
// the same from the journal of a recorder that was killed.
package record
