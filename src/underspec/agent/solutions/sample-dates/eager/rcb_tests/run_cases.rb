# frozen_string_literal: true

require "fileutils"
require_relative "../lib/requests"

folder = ARGV.first
FileUtils.mkdir_p("rcb_tests/stdout/#{folder}")
Dir["rcb_tests/#{folder}/*.json"].each do |file|
  JSON.parse(File.read(file, encoding: "UTF-8"))["cases"].each.with_index do |given, number|
    answer = Requests.answer(given["input"].to_json)
    File.binwrite("rcb_tests/stdout/#{folder}/#{File.basename(file, '.json')}@#{number.to_s.rjust(3, '0')}.txt", answer)
  end
end
