<?php
declare(strict_types=1);

abstract class Failure extends Exception
{
}

/** A path that is none. */
final class BadPath extends Failure
{
}

/** Nothing is at the path. */
final class NoPath extends Failure
{
}

/** Something that is no container stands in the way. */
final class Blocked extends Failure
{
}

/** No tree of its own. */
final class NotMap extends Failure
{
}
