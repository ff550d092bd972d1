# frozen_string_literal: true

require_relative "errors"
require_relative "settings"

# Decides what each piece stands for.
module Deciding
  module_function

  # Pieces with one option or none.
  def decide(pieces)
    known = []
    known = pieces.select { |piece| piece.options.length == 1 }.map { |piece| piece.options[0][0] } if later?
    pieces.map do |piece|
      chosen = choose(piece, known)
      known << chosen[0][0] unless chosen.empty?
      Piece.new(piece.text, chosen)
    end
  end

  def later?
    Settings.told?("numbers.context")
  end

  def choose(piece, known)
    return piece.options if piece.options.length < 2

    free = piece.options.reject { |field, _| known.include?(field) }
    raise NoMeaning if free.empty? && Settings.told?("numbers.surplus")

    free[0, 1]
  end
end
