# frozen_string_literal: true

# A sample of a date, turned into a format for strftime.
class Sample
  MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
  DAYS = "sunday|monday|tuesday|wednesday|thursday|friday|saturday"
  SHORT_MONTHS = "jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec"
  SHORT_DAYS = "sun|mon|tue|wed|thu|fri|sat"
  RULES = [
    [/\b\d{4}\b/, :year, "%Y"],
    [/\b(?:#{MONTHS})\b/i, :month, "%B"],
    [/\b(?:#{SHORT_MONTHS})\b/i, :month, "%b"],
    [/\b(?:#{DAYS})\b/i, :weekday, "%A"],
    [/\b(?:#{SHORT_DAYS})\b/i, :weekday, "%a"],
    [/\b\d{1,2}:\d{2}:\d{2}(?= ?[ap]m)/i, :time, "%-I:%M:%S"],
    [/\b\d{1,2}:\d{2}(?= ?[ap]m)/i, :time, "%-I:%M"],
    [/\b\d{2}:\d{2}:\d{2}/, :time, "%H:%M:%S"],
    [/\b\d{1,2}:\d{2}/, :time, "%H:%M"],
    [/\b[ap]m\b/, :half, "%P"],
    [/\b[AP]M\b/, :half, "%p"],
    [/\b\d{1,2}(?:st|nd|rd|th)\b/, :day, "%-d\u0001"],
    [/\b\d{2}\b/, :number, nil],
    [/\b\d\b/, :number, nil]
  ].freeze

  attr_reader :fields

  def initialize(text)
    @fields = []
    @parts = []
    read(text)
  end

  def write(time)
    text = @parts.map { |kind, part| kind == :text ? part : time.strftime(part) }.join
    text.gsub(/(\d+)\u0001/) { "#{$1}#{ending($1.to_i)}" }
  end

  private

  def read(text)
    until text.empty?
      match, field, form = RULES.filter_map { |rule| (found = rule[0].match(text)) && [found, *rule[1..]] }
                                .min_by { |found,| [found.begin(0), -found[0].length] }
      break @parts << [:text, text] unless match

      @parts << [:text, match.pre_match]
      field, form = number(match[0]) if field == :number
      @fields << field
      @parts << [:form, form]
      text = match.post_match
    end
  end

  # Day first, as most houses print it.
  def number(text)
    pad = text.length == 1 ? "-" : ""
    return [:day, "%#{pad}d"] unless @fields.include?(:day)
    return [:month, "%#{pad}m"] unless @fields.include?(:month)

    [:year, "%y"]
  end

  def ending(day)
    return "th" if day.between?(11, 13)

    %w[th st nd rd th th th th th th][day % 10]
  end
end
