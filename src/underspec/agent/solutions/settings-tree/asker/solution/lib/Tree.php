<?php
declare(strict_types=1);

require_once __DIR__ . '/Failures.php';
require_once __DIR__ . '/Merge.php';
require_once __DIR__ . '/Path.php';
require_once __DIR__ . '/Settings.php';

/** A tree of containers: what is read of it, and its changes. */
final class Tree
{
    public function __construct(private array $root)
    {
    }

    public function root(): array
    {
        return $this->root;
    }

    public function has(string $path): bool
    {
        [$found, $value] = $this->find($path);
        return $found && (Settings::told('has.null') || $value !== null);
    }

    public function get(string $path, bool $optional, mixed $default): mixed
    {
        [$found, $value] = $this->find($path);
        if (!$found && !$optional && Settings::told('get.missing')) {
            throw new NoPath();
        }
        $absent = !$found || ($value === null && Settings::told('get.null'));
        return $absent ? $default : $value;
    }

    public function part(string $path): array
    {
        [$found, $value] = $this->find($path);
        if (!$found) {
            throw new NoPath();
        }
        $numbers = is_array($value) ? array_filter(array_keys($value), is_int(...)) : [];
        if (!is_array($value) || ($numbers && Settings::told('part.rule'))) {
            throw new NotMap();
        }
        return $value;
    }

    public function set(string $path, mixed $value): void
    {
        $keys = Path::keys($path);
        $last = array_pop($keys);
        $place = &$this->reach($keys);
        $place[$last ?? ''] = $value;
    }

    public function append(string $path, mixed $value): void
    {
        $place = &$this->reach(Path::keys($path), false);
        if (!is_array($place)) {
            if ($place !== null && !Settings::told('append.single')) {
                throw new Blocked();
            }
            $place = $place === null ? [] : [$place];
        }
        if (Settings::told('append.next')) {
            $place[] = $value;
        } else {
            $place[count($place)] = $value;
        }
    }

    public function remove(string $path): void
    {
        $keys = Path::keys($path);
        $last = array_pop($keys) ?? '';
        $place = &$this->root;
        foreach ($keys as $key) {
            if (!is_array($place)) {
                $byte = is_string($place) && (string) (int) $key === $key && isset($place[(int) $key]);
                if ($byte && Settings::told('remove.blocked')) {
                    throw new Blocked();
                }
                return;
            }
            if (!isset($place[$key])) {
                return;
            }
            $place = &$place[$key];
        }
        if (!is_array($place)) {
            if (Settings::told('remove.blocked') && $place !== null) {
                throw new Blocked();
            }
            return;
        }
        $list = array_is_list($place) && !Settings::told('remove.gaps');
        unset($place[$last]);
        $place = $list ? array_values($place) : $place;
    }

    public function merge(Tree $other, string $mode): void
    {
        $this->root = Merge::trees($this->root, $other->root, $mode);
    }

    /** Whether something is at the path, and what. */
    private function find(string $path): array
    {
        $value = $this->root;
        foreach (Path::keys($path) as $key) {
            if (!is_array($value) || !array_key_exists($key, $value)) {
                return [false, null];
            }
            $value = $value[$key];
        }
        return [true, $value];
    }

    /** The place below these keys, containers made where none is; with $end the place must be one itself. */
    private function &reach(array $keys, bool $end = true): mixed
    {
        $place = &$this->root;
        foreach ($keys as $key) {
            $this->enter($place);
            if (!array_key_exists($key, $place)) {
                $place[$key] = null;
            }
            $place = &$place[$key];
        }
        if ($end) {
            $this->enter($place);
        }
        return $place;
    }

    private function enter(mixed &$place): void
    {
        if (!is_array($place)) {
            if ($place !== null && Settings::told('set.blocked')) {
                throw new Blocked();
            }
            $place = [];
        }
    }
}
