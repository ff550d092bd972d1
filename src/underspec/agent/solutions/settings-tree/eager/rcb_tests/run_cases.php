<?php
declare(strict_types=1);

require __DIR__ . '/../lib/requests.php';

$out = "rcb_tests/stdout/{$argv[1]}";
if (!is_dir($out)) {
    mkdir($out, 0777, true);
}
foreach (glob("rcb_tests/{$argv[1]}/*.json") as $file) {
    $number = 0;
    foreach (json_decode(file_get_contents($file), true)['cases'] as $one) {
        $name = basename($file, '.json') . '@' . str_pad((string) $number++, 3, '0', STR_PAD_LEFT) . '.txt';
        file_put_contents("$out/$name", answer(json_encode($one['input'])));
    }
}
