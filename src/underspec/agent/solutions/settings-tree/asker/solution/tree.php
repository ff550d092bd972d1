<?php
// Reads one JSON request from standard input and writes its answer.
declare(strict_types=1);

require __DIR__ . '/lib/Adapter.php';

echo Adapter::respond(stream_get_contents(STDIN));
