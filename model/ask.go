package model

// AskEvery is after how many steps a long loop asks its context whether to stop. A step takes at most a few
// microseconds, so that it is asked at least every 50 ms.
const AskEvery = 1 << 12
