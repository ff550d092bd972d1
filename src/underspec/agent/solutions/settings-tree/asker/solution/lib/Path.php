<?php
declare(strict_types=1);

require_once __DIR__ . '/Failures.php';
require_once __DIR__ . '/Settings.php';

/** Paths as texts, and the keys that they are made of. */
final class Path
{
    public static function keys(string $path): array
    {
        if (!Settings::told('paths.empty')) {
            $keys = array_values(array_filter(self::cut($path), static fn (string $key): bool => $key !== ''));
            return array_map(self::key(...), $keys);
        }
        if ($path === '') {
            throw new BadPath();
        }
        return array_map(self::key(...), self::cut($path));
    }

    private static function cut(string $path): array
    {
        return preg_split(Settings::told('paths.separators') ? '~[./]~' : '~[.]~', $path);
    }

    /** The language itself turns a text that is written like a whole number into one. */
    private static function key(string $text): string
    {
        return !Settings::told('keys.numbers') && preg_match('/^\d+$/', $text) ? (string) (int) $text : $text;
    }
}
