<?php
// Requests in, lines out.
declare(strict_types=1);

require_once __DIR__ . '/tree.php';

class Wrong extends Exception
{
}

function answer(string $text): string
{
    try {
        $request = json_decode($text, true);
        if (!is_array($request)) {
            throw new Wrong('invalid_request');
        }
        return run($request) . "\n";
    } catch (Wrong $wrong) {
        return "error={$wrong->getMessage()}\n";
    } catch (NotFound) {
        return "error=not_found\n";
    } catch (TypeError) {
        return "error=invalid_request\n";
    }
}

function run(array $request): string
{
    $data = $request['data'] ?? [];
    $path = $request['path'] ?? '';
    $value = $request['value'] ?? null;
    switch ($request['action'] ?? null) {
        case 'get':
            return 'value=' . json_encode(lookup($data, $path, $request['default'] ?? null));
        case 'has':
            return 'has=' . json_encode(lookup($data, $path) !== null);
        case 'part':
            return 'part=' . json_encode(lookup($data, $path) ?? throw new NotFound());
        case 'merge':
            $keep = ($request['mode'] ?? '') === 'keep';
            return 'data=' . json_encode(merge($data, $request['other'] ?? $request['with'], $keep));
        case 'script':
            foreach ($request['changes'] ?? throw new Wrong('invalid_request') as $change) {
                $data = change($change['action'], $data, $change['path'], $change['value'] ?? null);
            }
            return 'data=' . json_encode($data);
        default:
            return 'data=' . json_encode(change($request['action'] ?? null, $data, $path, $value));
    }
}

function change(mixed $action, array $data, string $path, mixed $value): array
{
    return match ($action) {
        'set' => store($data, $path, $value),
        'append' => push($data, $path, $value),
        'remove' => drop($data, $path),
        default => throw new Wrong('unknown_action'),
    };
}
