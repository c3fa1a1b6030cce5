package model

// AskEvery is the number of steps between two checks of a long loop's context. A step takes at most a few microseconds,
// so that the context is checked at least every 50 ms.
const AskEvery = 1 << 12
