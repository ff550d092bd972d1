<?php
// canary underspec-canary-bb18de04-0610-4533-a9d6-5e9c29942656
// Answers one request with the golden library, which the composer puts under vendor/golden.
//
// It looks parameters up, calls the library and puts the answer in the contract's neutral words. How a path is read, what
// stands in whose way, and what becomes of two trees is never decided here.
declare(strict_types=1);

use Dflydev\DotAccessData\Data;
use Dflydev\DotAccessData\DataInterface;
use Dflydev\DotAccessData\Exception\DataException;
use Dflydev\DotAccessData\Exception\InvalidPathException;
use Dflydev\DotAccessData\Exception\MissingPathException;

require __DIR__ . '/vendor/golden/autoload.php';

// What newer versions of the language find old-fashioned in the library is said now, before any request is answered.
foreach ([Data::class, DataException::class, InvalidPathException::class, MissingPathException::class] as $class) {
    class_exists($class);
}

// From here on, what the language only warns of is a failure.
set_error_handler(static function (int $level, string $message): bool {
    throw new ErrorException($message, 0, $level);
});

/** What cannot be done; carries the contract's word for it. */
final class Refused extends Exception
{
}

const MODES = ['replace' => DataInterface::REPLACE, 'preserve' => DataInterface::PRESERVE, 'join' => DataInterface::MERGE];
const FLAGS = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_LINE_TERMINATORS | JSON_THROW_ON_ERROR;

function need(array $request, string $name, callable $good): mixed
{
    $value = $request[$name] ?? null;
    if (!$good($value)) {
        throw new Refused('bad_request');
    }
    return $value;
}

function pathOf(array $request): string
{
    return need($request, 'path', is_string(...));
}

function valueOf(array $request): mixed
{
    if (!array_key_exists('value', $request)) {
        throw new Refused('bad_request');
    }
    return $request['value'];
}

function dataOf(array $request): Data
{
    return new Data(need($request, 'data', is_array(...)));
}

function shown(mixed $value): string
{
    return json_encode($value, FLAGS);
}

/** Runs what changes a tree; what the library or the language cannot go through stands in the way. */
function changed(Data $data, callable $change): string
{
    try {
        $change($data);
    } catch (InvalidPathException $problem) {
        throw $problem;
    } catch (DataException | Error | ErrorException $problem) {
        throw new Refused('blocked');
    }
    return 'data=' . shown($data->export()) . "\n";
}

function changeOf(string $verb, array $request): callable
{
    $path = pathOf($request);
    if ($verb === 'remove') {
        return static fn (Data $data) => $data->remove($path);
    }
    $value = valueOf($request);
    return static fn (Data $data) => $verb === 'set' ? $data->set($path, $value) : $data->append($path, $value);
}

function steps(array $request): array
{
    $steps = need($request, 'steps', static fn ($steps) => is_array($steps) && array_is_list($steps));
    return array_map(static function ($step): callable {
        if (!is_array($step)) {
            throw new Refused('bad_request');
        }
        $verb = need($step, 'do', static fn ($verb) => in_array($verb, ['set', 'append', 'remove'], true));
        return changeOf($verb, $step);
    }, $steps);
}

function refuseFractions(mixed $value): void
{
    if (is_float($value)) {
        throw new Refused('bad_request');
    }
    foreach (is_array($value) ? $value : [] as $part) {
        refuseFractions($part);
    }
}

function actions(): array
{
    $change = static fn (string $verb) => static function (array $request) use ($verb): string {
        $data = dataOf($request);
        return changed($data, changeOf($verb, $request));
    };
    return [
        'get' => static function (array $request): string {
            $data = dataOf($request);
            $path = pathOf($request);
            $found = isset($request['default']) ? $data->get($path, $request['default']) : $data->get($path);
            return 'value=' . shown($found) . "\n";
        },
        'has' => static function (array $request): string {
            return 'has=' . (dataOf($request)->has(pathOf($request)) ? 'yes' : 'no') . "\n";
        },
        'part' => static function (array $request): string {
            $data = dataOf($request);
            $path = pathOf($request);
            try {
                return 'data=' . shown($data->getData($path)->export()) . "\n";
            } catch (MissingPathException | InvalidPathException $problem) {
                throw $problem;
            } catch (DataException $problem) {
                throw new Refused('not_map');
            }
        },
        'set' => $change('set'),
        'append' => $change('append'),
        'remove' => $change('remove'),
        'merge' => static function (array $request): string {
            $data = dataOf($request);
            $other = dataOf(['data' => $request['other'] ?? null]);
            $mode = $request['mode'] ?? 'replace';
            if (!is_string($mode) || !isset(MODES[$mode])) {
                throw new Refused('bad_request');
            }
            return changed($data, static fn (Data $data) => $data->importData($other, MODES[$mode]));
        },
        'script' => static function (array $request): string {
            $data = dataOf($request);
            $steps = steps($request);
            return changed($data, static function (Data $data) use ($steps): void {
                foreach ($steps as $step) {
                    $step($data);
                }
            });
        },
    ];
}

function respond(string $text): string
{
    try {
        $request = json_decode($text, true);
        // An empty list and an empty object are the same once they are read.
        if (!is_array($request) || ltrim($text)[0] !== '{') {
            throw new Refused('bad_request');
        }
        $action = $request['action'] ?? null;
        if (!is_string($action) || !isset(actions()[$action])) {
            throw new Refused('unknown_action');
        }
        refuseFractions($request);
        return actions()[$action]($request);
    } catch (Refused $problem) {
        return 'error=' . $problem->getMessage() . "\n";
    } catch (InvalidPathException $problem) {
        return "error=bad_path\n";
    } catch (MissingPathException $problem) {
        return "error=no_path\n";
    }
}

if (realpath($_SERVER['SCRIPT_FILENAME']) === __FILE__) {
    echo respond(stream_get_contents(STDIN));
}
