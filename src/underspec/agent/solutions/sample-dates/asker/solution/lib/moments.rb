# frozen_string_literal: true

require "date"
require_relative "errors"
require_relative "settings"

# Reads moments.
module Moments
  TOLD = /\A(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(?:Z|([+-])(\d\d):(\d\d))?)?\z/
  ASSUMED = /\A(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d):(\d\d)(?:Z|([+-])(\d\d):(\d\d)))\z/

  module_function

  def read(text)
    found = (Settings.told?("input.moments") ? TOLD : ASSUMED).match(text) or raise BadMoment
    year, month, day, hour, minute, second = found[1..6].map(&:to_i)
    hours, minutes = found[8].to_i, found[9].to_i
    good = year.positive? && Date.valid_date?(year, month, day, Date::GREGORIAN)
    raise BadMoment unless good && [hour, hours].max < 24 && [minute, second, minutes].max < 60

    distance = Rational((hours * 60) + minutes, 1440) * (found[7] == "-" ? -1 : 1)
    DateTime.new(year, month, day, hour, minute, second, distance, Date::GREGORIAN)
  end
end
