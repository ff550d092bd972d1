# frozen_string_literal: true

require_relative "settings"
require_relative "words"

# One piece of a sample: its text, and what it may stand for as [field, form]; nothing when it is only text.
Piece = Struct.new(:text, :options)

# Cuts a sample into pieces.
module Pieces
  SECONDS_TOLD = '(\s*)(:)?(\d{2})?(\s*)'
  SECONDS_ASSUMED = '()(?:(:)(\d{2}))?(\s*)'

  module_function

  def of(sample)
    before, time, after = sample.partition(clock)
    found = words(before)
    return found if time.empty?

    found + clock_pieces(time.match(clock)) + of(after)
  end

  def clock
    seconds = Settings.told?("clock.seconds") ? SECONDS_TOLD : SECONDS_ASSUMED
    half = Settings.told?("halves.mixed") ? "([ap]m)?" : '([ap]m\b)?'
    edge = Settings.told?("clock.where") ? "" : '(?<![[:alnum:]])'
    Regexp.new("#{edge}(\\d{1,2})(:)(\\d{2})#{seconds}#{half}", Regexp::IGNORECASE)
  end

  def clock_pieces(found)
    hour, colon, minute, gap, second_colon, second, blank, half = found.captures.map(&:to_s)
    again = Settings.told?("clock.two") ? nil : true
    pieces = [Piece.new(hour, hour_options(hour, !half.empty?)), Piece.new(colon, [])]
    pieces << Piece.new(minute, again ? [[:minute, :two]] : late(minute))
    pieces << Piece.new(gap + second_colon, [])
    pieces << Piece.new(second, second.empty? ? [] : (again ? [[:second, :two]] : late(second)))
    pieces << Piece.new(blank, []) << Piece.new(half, half_options(half))
  end

  def hour_options(text, with_half)
    return hour_assumed(text, with_half) unless Settings.told?("clock.format")
    return [[:hour, :twelve]] if text.length == 1

    Settings.told?("clock.two") ? late(text) : [[:hour, late(text).first.last]]
  end

  def hour_assumed(text, with_half)
    form = with_half ? :twelve : :number
    [[:hour, text.length == 2 ? :"two_#{form}" : form]]
  end

  # What a part of two digits may be.
  def late(text)
    hour = (13..23).cover?(text.to_i) ? :two_number : :two_twelve
    [[:hour, hour], [:minute, :two], [:second, :two]]
  end

  def half_options(text)
    return [] if text.empty?
    return [[:half, :small]] unless Settings.told?("halves.written")
    return [[:half, :small]] if text == text.downcase
    return [[:half, :capital]] if text == text.upcase

    Settings.told?("halves.mixed") ? [] : [[:half, :small]]
  end

  def words(text)
    pattern = Settings.told?("words.cutting") ? /[[:alnum:]_]+|[^[:alnum:]_]+/ : /\d+(?:st|nd|rd|th)?|[[:alpha:]]+|[^[:alnum:]]+/i
    text.scan(pattern).map { |word| Piece.new(word, options(word)) }
  end

  def options(word)
    name = Words.name(word)
    return [name] if name
    return [[:zone, :distance]] if Words.zone?(word)
    return [[:day, :ordinal]] if ordinal?(word)
    return [] unless word.match?(/\A\d+\z/)

    number_options(word)
  end

  def ordinal?(word)
    return word.match?(/\A\d{1,2}(st|nd|rd|th)\z/) if Settings.told?("days.endings")

    word.match?(/\A\d{1,2}(st|nd|rd|th)\z/i) && (1..31).cover?(word.to_i)
  end

  def number_options(word)
    case word.length
    when 4 then [[:year, :full]]
    when 2 then two_digits(word.to_i)
    when 1 then by_rule("numbers.single", :plain)[0, 2]
    else []
    end
  end

  def two_digits(number)
    if Settings.told?("numbers.borders")
      return [[:day, :two]] if (13..31).cover?(number)
      return [[:year, :two_year]] if number > 31
    end
    by_rule("numbers.bare", :two)
  end

  def by_rule(setting, form)
    order = Settings.told?(setting) ? %i[month day year] : %i[day month year]
    order.map { |field| [field, field == :year ? :two_year : form] }
  end
end
