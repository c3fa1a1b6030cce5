// Package json reads JSON that may be large, damaged or hostile, and knows the offset of everything it reads.
//
// A [Cursor] reads a file of any size, or bytes in memory, token by token. It allocates nothing but for strings
// that have escapes or cross the border of two chunks, and nesting costs no stack. A deviation from JSON is a [Fault]:
// the loader words the message and decides whether to continue. One loader reads NaN as null, another one stops at the
// first byte that JSON does not allow.
//
// To read values one by one, from an array or from a file of many values:
//
//	c := json.NewReader(r, 0, 256<<10)
//	c.OnFault = func(f json.Fault) bool { … }
//	if c.Next() == '[' {
//		for first := true; c.Element(&first); {
//			if c.Next() == json.Number {
//				n, ok := json.Uint(c.Text())
//			}
//		}
//	}
//
// For small values in memory, [Members] and [Elements] return them as written, checking only what is needed to split
// them. [Text], [Uint], [Int] and [Float] read such a value.
package json
