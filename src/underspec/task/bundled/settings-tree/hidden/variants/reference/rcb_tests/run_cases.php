<?php
// canary underspec-canary-a1d1f1bb-7a6a-43a0-bb4a-e19f1decc308
// Runs the cases of one folder in one process.
declare(strict_types=1);

require __DIR__ . '/../dispatcher.php';

$folder = $argv[1];
$target = __DIR__ . "/stdout/$folder";
if (!is_dir($target)) {
    mkdir($target, 0777, true);
}
foreach (glob(__DIR__ . "/$folder/*.json") as $path) {
    // Objects, so that an empty one stays one when the request is written again.
    $cases = json_decode(file_get_contents($path), false, 512, JSON_THROW_ON_ERROR)->cases;
    foreach ($cases as $index => $case) {
        $request = json_encode($case->input, JSON_UNESCAPED_UNICODE | JSON_PRESERVE_ZERO_FRACTION | JSON_THROW_ON_ERROR);
        file_put_contents(sprintf('%s/%s@%03d.txt', $target, basename($path, '.json'), $index), respond($request));
    }
}
