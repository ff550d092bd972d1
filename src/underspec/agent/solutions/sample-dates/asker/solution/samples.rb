# frozen_string_literal: true

# Reads one JSON request from standard input and writes its answer.

require_relative "lib/adapter"

$stdout.binmode
$stdout.write(Adapter.respond($stdin.binmode.read))
