<?php
declare(strict_types=1);

require_once __DIR__ . '/Failures.php';
require_once __DIR__ . '/Settings.php';
require_once __DIR__ . '/Tree.php';
require_once __DIR__ . '/Writing.php';

final class BadRequest extends Exception
{
}

final class UnknownAction extends Exception
{
}

/** From a JSON request to a line. Nothing else knows either, or the words for failures. */
final class Adapter
{
    private const ACTIONS = ['get', 'has', 'set', 'append', 'remove', 'part', 'merge', 'script'];
    private const TOLD = [
        BadRequest::class => 'bad_request', UnknownAction::class => 'unknown_action', BadPath::class => 'bad_path',
        NoPath::class => 'no_path', Blocked::class => 'blocked', NotMap::class => 'not_map',
    ];
    private const ASSUMED = [
        BadRequest::class => 'invalid_request', UnknownAction::class => 'unknown_action', BadPath::class => 'invalid_path',
        NoPath::class => 'not_found', Blocked::class => 'not_a_tree', NotMap::class => 'not_a_tree',
    ];

    public static function respond(string $text): string
    {
        try {
            $request = json_decode($text, true);
            if (!is_array($request) || ltrim($text)[0] !== '{') {
                throw new BadRequest();
            }
            $action = $request['action'] ?? null;
            if (!in_array($action, self::ACTIONS, true)) {
                throw new UnknownAction();
            }
            if (Settings::told('input.numbers')) {
                self::refuseFractions($request);
            }
            return self::$action($request);
        } catch (Failure | BadRequest | UnknownAction $failure) {
            $words = Settings::told('errors.words') ? self::TOLD : self::ASSUMED;
            return "error={$words[$failure::class]}\n";
        }
    }

    private static function refuseFractions(mixed $value): void
    {
        if (is_float($value)) {
            throw new BadRequest();
        }
        foreach (is_array($value) ? $value : [] as $one) {
            self::refuseFractions($one);
        }
    }

    private static function tree(array $request, string $name = 'data'): Tree
    {
        return is_array($request[$name] ?? null) ? new Tree($request[$name]) : throw new BadRequest();
    }

    private static function path(array $request): string
    {
        return is_string($request['path'] ?? null) ? $request['path'] : throw new BadRequest();
    }

    private static function value(array $request): mixed
    {
        return array_key_exists('value', $request) ? $request['value'] : throw new BadRequest();
    }

    private static function shown(Tree $tree): string
    {
        return 'data=' . Writing::json($tree->root()) . "\n";
    }

    private static function get(array $request): string
    {
        $optional = isset($request['default']);
        $value = self::tree($request)->get(self::path($request), $optional, $request['default'] ?? null);
        return 'value=' . Writing::json($value) . "\n";
    }

    private static function has(array $request): string
    {
        $has = self::tree($request)->has(self::path($request));
        if (!Settings::told('output.lines')) {
            return 'value=' . ($has ? 'true' : 'false') . "\n";
        }
        return 'has=' . ($has ? 'yes' : 'no') . "\n";
    }

    private static function part(array $request): string
    {
        $part = self::tree($request)->part(self::path($request));
        return (Settings::told('output.lines') ? 'data=' : 'value=') . Writing::json($part) . "\n";
    }

    private static function set(array $request): string
    {
        $tree = self::tree($request);
        self::changed($tree, 'set', $request);
        return self::shown($tree);
    }

    private static function append(array $request): string
    {
        $tree = self::tree($request);
        self::changed($tree, 'append', $request);
        return self::shown($tree);
    }

    private static function remove(array $request): string
    {
        $tree = self::tree($request);
        self::changed($tree, 'remove', $request);
        return self::shown($tree);
    }

    private static function changed(Tree $tree, string $verb, array $request): void
    {
        $path = self::path($request);
        match ($verb) {
            'set' => $tree->set($path, self::value($request)),
            'append' => $tree->append($path, self::value($request)),
            'remove' => $tree->remove($path),
        };
    }

    private static function merge(array $request): string
    {
        $tree = self::tree($request);
        $other = self::tree($request, 'other');
        $told = Settings::told('requests.names');
        $modes = $told ? ['replace', 'preserve', 'join'] : ['replace', 'keep', 'combine'];
        $mode = array_search($request['mode'] ?? 'replace', $modes, true);
        if ($mode === false) {
            throw new BadRequest();
        }
        $tree->merge($other, ['replace', 'preserve', 'join'][$mode]);
        return self::shown($tree);
    }

    private static function script(array $request): string
    {
        $tree = self::tree($request);
        [$list, $verb] = Settings::told('requests.names') ? ['steps', 'do'] : ['changes', 'action'];
        $steps = $request[$list] ?? null;
        if (!is_array($steps) || !array_is_list($steps)) {
            throw new BadRequest();
        }
        foreach (Settings::told('errors.order') ? $steps : [] as $step) {
            self::checkStep($step, $verb);
        }
        foreach ($steps as $step) {
            self::checkStep($step, $verb);
            try {
                self::changed($tree, $step[$verb], $step);
            } catch (Failure $failure) {
                if (Settings::told('script.failure')) {
                    throw $failure;
                }
            }
        }
        return self::shown($tree);
    }

    private static function checkStep(mixed $step, string $verb): void
    {
        if (!is_array($step) || !in_array($step[$verb] ?? null, ['set', 'append', 'remove'], true)) {
            throw new BadRequest();
        }
        self::path($step);
        if ($step[$verb] !== 'remove') {
            self::value($step);
        }
    }
}
