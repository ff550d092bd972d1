# canary underspec-canary-e7d8df8d-99d8-47c1-a055-1951552b289a
# frozen_string_literal: true

# Answers one request with the golden library, which the composer puts under vendor/golden.
#
# It looks parameters up, calls the library and puts the answer in the contract's neutral words. What a sample's words
# stand for, and what is written for them, is never decided here.

require "json"

$LOAD_PATH.unshift(File.join(__dir__, "vendor", "golden"))
require "stamp"

# What cannot be done; carries the contract's word for it.
class Refused < StandardError; end

MOMENT = /\A(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(?:Z|([+-]\d\d):(\d\d))?)?\z/
CONTROL = /[\u0000-\u001f\u007f]/
FIELDS = { month: "month", day: "day", year: "year", wday: "weekday", hour: "hour", min: "minute", sec: "second",
           zone: "zone" }.freeze

def need(request, name)
  value = request[name]
  raise Refused, "bad_request" unless yield value

  value
end

def sample_of(request)
  need(request, "sample") { |text| text.is_a?(String) && text.length <= 200 && text !~ CONTROL }
end

def moment(text)
  parts = MOMENT.match(text) or raise Refused, "bad_moment"
  year, month, day, hour, minute, second = parts[1..6].map(&:to_i)
  hours, minutes = parts[7].to_s.delete("+-").to_i, parts[8].to_i
  good = year.positive? && hour < 24 && minute < 60 && second < 60 && hours < 24 && minutes < 60
  raise Refused, "bad_moment" unless good && Date.valid_date?(year, month, day, Date::GREGORIAN)

  offset = Rational(hours * 60 + minutes, 1440) * (parts[7].to_s.start_with?("-") ? -1 : 1)
  DateTime.new(year, month, day, hour, minute, second, offset, Date::GREGORIAN)
end

# The library has nothing to put in the place of a number that can mean nothing any more.
def understood
  yield
rescue NoMethodError => error
  raise unless error.receiver.nil?

  raise Refused, "no_meaning"
end

ACTIONS = {
  "write" => lambda do |request|
    sample = sample_of(request)
    text = need(request, "at") { |value| value.is_a?(String) }
    at = moment(text)
    "text=#{understood { at.stamp(sample) }}\n"
  end,
  "list" => lambda do |request|
    sample = sample_of(request)
    texts = need(request, "at") do |value|
      value.is_a?(Array) && value.length <= 100 && value.all? { |text| text.is_a?(String) }
    end
    written = texts.map { |text| moment(text) }.map { |at| understood { at.stamp(sample) } }
    "count=#{written.length}\n" + written.map { |text| "text=#{text}\n" }.join
  end,
  "fields" => lambda do |request|
    sample = sample_of(request)
    found = understood do
      Disambiguator.new(Stamp::Translator.new.translate(sample)).disambiguate!.map(&:field)
    end
    names = found.compact.map { |field| FIELDS.fetch(field) }
    "fields=#{names.empty? ? 'none' : names.join(' ')}\n"
  end
}.freeze

def respond(data)
  text = data.dup.force_encoding(Encoding::UTF_8)
  raise Refused, "bad_request" unless text.valid_encoding?

  begin
    request = JSON.parse(text)
  rescue JSON::ParserError
    raise Refused, "bad_request"
  end
  raise Refused, "bad_request" unless request.is_a?(Hash)

  action = ACTIONS[request["action"]] or raise Refused, "unknown_action"
  action.call(request)
rescue Refused => error
  "error=#{error.message}\n"
end

if __FILE__ == $PROGRAM_NAME
  $stdout.binmode
  $stdout.write(respond($stdin.binmode.read))
end
