// What can go wrong in the library. Which word a caller sees for it is decided in the adapter.
#pragma once

#include <stdexcept>

struct Failure : std::exception {};
struct BadRequest : Failure {};
struct UnknownAction : Failure {};
struct BadPlace : Failure {};
struct BadRange : Failure {};
struct TakenMark : Failure {};
struct NoMark : Failure {};
