#pragma once

// On a function: the compiler knows nothing about its body where it is called, so nothing is
// computed at compile time or moved across a change of the rounding mode. No function can say this.
#if defined(__clang__)
#define WHYBITS_OPAQUE [[clang::optnone]]
#else
#define WHYBITS_OPAQUE [[gnu::noipa]]
#endif
