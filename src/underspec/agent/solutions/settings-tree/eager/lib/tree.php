<?php
// Trees of settings as nested arrays, addressed with dots.
declare(strict_types=1);

class NotFound extends Exception
{
}

function keys(string $path): array
{
    return explode('.', trim($path, '.'));
}

function lookup(array $tree, string $path, mixed $default = null): mixed
{
    foreach (keys($path) as $key) {
        if (!isset($tree[$key])) {
            return $default;
        }
        $tree = $tree[$key];
    }
    return $tree;
}

function &place(array &$tree, string $path): mixed
{
    $at = &$tree;
    foreach (keys($path) as $key) {
        // A value in the way gives way.
        $at = is_array($at) ? $at : [];
        $at = &$at[$key];
    }
    return $at;
}

function store(array $tree, string $path, mixed $value): array
{
    $at = &place($tree, $path);
    $at = $value;
    return $tree;
}

function push(array $tree, string $path, mixed $value): array
{
    $at = &place($tree, $path);
    $at = is_array($at) ? $at : [];
    $at[] = $value;
    return $tree;
}

function drop(array $tree, string $path): array
{
    $keys = keys($path);
    $last = array_pop($keys);
    $at = &$tree;
    foreach ($keys as $key) {
        if (!is_array($at) || !isset($at[$key])) {
            throw new NotFound();
        }
        $at = &$at[$key];
    }
    if (!is_array($at) || !array_key_exists($last, $at)) {
        throw new NotFound();
    }
    $list = array_is_list($at);
    unset($at[$last]);
    $at = $list ? array_values($at) : $at;
    return $tree;
}

function merge(array $tree, array $other, bool $keep): array
{
    foreach ($other as $key => $value) {
        if (is_array($value) && is_array($tree[$key] ?? null) && !array_is_list($value)) {
            $tree[$key] = merge($tree[$key], $value, $keep);
        } elseif (!$keep || !array_key_exists($key, $tree)) {
            $tree[$key] = $value;
        }
    }
    return $tree;
}
