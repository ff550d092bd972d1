# canary underspec-canary-5ef44400-e97b-4717-9cfe-c79fa3702ae6
# frozen_string_literal: true

# Runs the cases of one folder in one process.

require "fileutils"
require "json"
require_relative "../dispatcher"

folder = ARGV.fetch(0)
target = File.join(__dir__, "stdout", folder)
FileUtils.mkdir_p(target)
Dir.glob(File.join(__dir__, folder, "*.json")).sort.each do |path|
  cases = JSON.parse(File.binread(path).force_encoding(Encoding::UTF_8)).fetch("cases")
  cases.each_with_index do |one, index|
    name = format("%<stem>s@%<index>03d.txt", stem: File.basename(path, ".json"), index: index)
    File.binwrite(File.join(target, name), respond(JSON.generate(one.fetch("input"))))
  end
end
