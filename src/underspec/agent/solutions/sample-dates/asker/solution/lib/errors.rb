# frozen_string_literal: true

# A moment that cannot be read.
class BadMoment < StandardError; end

# A number of a sample that can stand for nothing.
class NoMeaning < StandardError; end
