<?php
declare(strict_types=1);

require_once __DIR__ . '/Settings.php';

/** Trees and values as JSON. */
final class Writing
{
    public static function json(mixed $value): string
    {
        if (!Settings::told('keys.lists')) {
            $value = self::emptyObjects($value);
        }
        $flags = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_LINE_TERMINATORS;
        return json_encode($value, Settings::told('output.json') ? $flags : 0);
    }

    private static function emptyObjects(mixed $value): mixed
    {
        if (!is_array($value)) {
            return $value;
        }
        return $value === [] ? new stdClass() : array_map(self::emptyObjects(...), $value);
    }
}
