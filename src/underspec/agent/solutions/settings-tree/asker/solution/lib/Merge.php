<?php
declare(strict_types=1);

require_once __DIR__ . '/Settings.php';

/** Two trees made one. */
final class Merge
{
    public static function trees(mixed $own, mixed $other, string $mode): mixed
    {
        $lists = is_array($own) && is_array($other) && array_is_list($own) && array_is_list($other);
        if ($lists && $mode === 'join') {
            $joined = array_merge($own, $other);
            return Settings::told('merge.join') ? $joined : array_values(array_unique($joined, SORT_REGULAR));
        }
        if ($lists && $own && $other && $mode === 'replace' && !Settings::told('merge.lists')) {
            return $other;
        }
        if (!is_array($own) || !is_array($other)) {
            return $mode === 'preserve' ? $own : $other;
        }
        if ($mode === 'preserve' && !Settings::told('merge.preserve')) {
            return $own + $other;
        }
        foreach ($other as $key => $value) {
            $there = Settings::told('merge.null') ? isset($own[$key]) : array_key_exists($key, $own);
            $own[$key] = $there ? self::trees($own[$key], $value, $mode) : $value;
        }
        return $own;
    }
}
