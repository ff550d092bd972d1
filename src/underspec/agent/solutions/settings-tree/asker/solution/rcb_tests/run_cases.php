<?php
// Answers all cases of one folder in one process.
declare(strict_types=1);

require __DIR__ . '/../lib/Adapter.php';

$folder = $argv[1];
@mkdir(__DIR__ . "/stdout/$folder", 0777, true);
foreach (glob(__DIR__ . "/$folder/*.json") as $path) {
    foreach (json_decode(file_get_contents($path))->cases as $index => $case) {
        $answer = Adapter::respond(json_encode($case->input, JSON_PRESERVE_ZERO_FRACTION));
        $name = sprintf('%s@%03d.txt', basename($path, '.json'), $index);
        file_put_contents(__DIR__ . "/stdout/$folder/$name", $answer);
    }
}
