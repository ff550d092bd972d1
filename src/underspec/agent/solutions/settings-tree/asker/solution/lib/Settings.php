<?php
declare(strict_types=1);

/** What the request left open: told by an answer, or assumed. */
final class Settings
{
    private static ?array $values = null;

    public static function told(string $name): bool
    {
        self::$values ??= json_decode(file_get_contents(__DIR__ . '/../settings.json'), true);
        [$group, $entry] = explode('.', $name);
        return self::$values[$group][$entry] === 'told';
    }
}
