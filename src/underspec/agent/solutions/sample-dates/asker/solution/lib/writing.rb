# frozen_string_literal: true

require_relative "settings"
require_relative "words"

# Writes decided pieces for a moment.
module Writing
  module_function

  def write(pieces, moment)
    pieces.map { |piece| piece.options.empty? ? piece.text : piece(piece, *piece.options[0], moment) }.join
  end

  def piece(piece, field, form, moment)
    case field
    when :month then name_or_number(piece, form, Words::MONTHS[moment.month - 1], moment.month)
    when :weekday then name_or_number(piece, form, Words::WEEKDAYS[moment.wday], nil)
    when :half then half(form, moment.hour)
    when :zone then Settings.told?("zones.written") ? moment.zone : piece.text
    else number(form, value(field, moment))
    end
  end

  def name_or_number(piece, form, name, number)
    case form
    when :whole then capitals(piece.text, name)
    when :short then capitals(piece.text, name[0, 3])
    else number(form, number)
    end
  end

  def capitals(sample, name)
    return name if Settings.told?("names.capitals")
    return name.upcase if sample == sample.upcase

    sample == sample.downcase ? name.downcase : name
  end

  def half(form, hour)
    text = hour < 12 ? "am" : "pm"
    form == :capital ? text.upcase : text
  end

  def value(field, moment)
    { day: moment.day, year: moment.year, hour: moment.hour, minute: moment.min, second: moment.sec }.fetch(field)
  end

  def number(form, value)
    case form
    when :two, :two_number then format("%02d", value)
    when :two_year then format("%02d", value % 100)
    when :twelve then twelve(value).to_s
    when :two_twelve then format("%02d", twelve(value))
    when :ordinal then "#{value}#{ending(value)}"
    when :full then Settings.told?("years.full") ? value.to_s : format("%04d", value)
    else value.to_s
    end
  end

  def twelve(hour)
    (hour % 12).zero? ? 12 : hour % 12
  end

  def ending(day)
    return "th" if (11..13).cover?(day)

    { 1 => "st", 2 => "nd", 3 => "rd" }.fetch(day % 10, "th")
  end
end
