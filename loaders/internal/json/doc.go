// Package json reads JSON that may be large, damaged or hostile, and knows the offset of everything it reads. Loaders
// stand on it.
//
// A [Cursor] goes through a file of any size, or through bytes in memory, token by token. It allocates nothing but for
// strings that have escapes or stand across the border of two chunks, and nesting costs no stack. What is wrong is a
// [Fault]: the loader says in words of its own what that is, and whether to read on. So one loader takes NaN for null
// and goes on, and another one stops at the first byte that JSON does not allow.
//
// For one value after the other, of an array or of a file of many values:
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
// Where values are small and stand in memory, [Members] and [Elements] give them as they are written, and check only as
// much as takes them apart. [Text], [Uint], [Int] and [Float] read such a value.
package json
