# frozen_string_literal: true

# Answers all cases of one folder in one process.

require "fileutils"
require_relative "../lib/adapter"

target = File.join(__dir__, "stdout", ARGV[0])
FileUtils.mkdir_p(target)
Dir[File.join(__dir__, ARGV[0], "*.json")].sort.each do |path|
  cases = JSON.parse(File.read(path, encoding: "UTF-8"))["cases"]
  cases.each_with_index do |one, index|
    name = format("%<stem>s@%<index>03d.txt", stem: File.basename(path, ".json"), index: index)
    File.binwrite(File.join(target, name), Adapter.respond(JSON.generate(one["input"])))
  end
end
