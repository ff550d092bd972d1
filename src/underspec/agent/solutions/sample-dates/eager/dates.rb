# frozen_string_literal: true

require_relative "lib/requests"

$stdout.binmode
$stdout.write(Requests.answer($stdin.binmode.read))
