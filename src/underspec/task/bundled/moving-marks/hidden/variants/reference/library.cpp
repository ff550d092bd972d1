// canary underspec-canary-c789e5fb-59b1-4a3c-a90c-ca1a3f1c9894
// The golden library, which the composer puts under vendor/golden, compiled in one go: that takes half the time.
#include "vendor/golden/point.cc"
#include "vendor/golden/range.cc"
#include "vendor/golden/text-slice.cc"
#include "vendor/golden/text.cc"
#include "vendor/golden/marker-index.cc"
#include "vendor/golden/patch.cc"
