<?php
declare(strict_types=1);

require __DIR__ . '/lib/requests.php';

echo answer(stream_get_contents(STDIN));
