# frozen_string_literal: true

require "json"
require_relative "deciding"
require_relative "errors"
require_relative "moments"
require_relative "pieces"
require_relative "settings"
require_relative "writing"

# From a JSON request to lines. Nothing else knows either, or the words for failures.
module Adapter
  class BadRequest < StandardError; end
  class UnknownAction < StandardError; end

  TOLD_WORDS = { BadRequest => "bad_request", UnknownAction => "unknown_action", BadMoment => "bad_moment",
                 NoMeaning => "no_meaning" }.freeze
  ASSUMED_WORDS = { BadRequest => "invalid_request", UnknownAction => "unknown_action", BadMoment => "invalid_date",
                    NoMeaning => "invalid_sample" }.freeze
  ACTIONS = { "write" => :write, "list" => :list, "fields" => :fields }.freeze

  module_function

  def respond(data)
    request = parse(data)
    action = ACTIONS[request["action"]] or raise UnknownAction
    send(action, request)
  rescue BadRequest, UnknownAction, BadMoment, NoMeaning => error
    "error=#{(Settings.told?('errors.words') ? TOLD_WORDS : ASSUMED_WORDS).fetch(error.class)}\n"
  end

  def parse(data)
    text = data.dup.force_encoding(Encoding::UTF_8)
    raise BadRequest unless text.valid_encoding?

    request = JSON.parse(text)
    raise BadRequest unless request.is_a?(Hash)

    request
  rescue JSON::ParserError
    raise BadRequest
  end

  def sample(request)
    text = request["sample"]
    raise BadRequest unless text.is_a?(String)
    raise BadRequest if Settings.told?("requests.limits") && (text.length > 200 || text.match?(/[\u0000-\u001f\u007f]/))

    text
  end

  def pieces(text)
    Deciding.decide(Pieces.of(text))
  end

  def write(request)
    text, at = sample(request), request[Settings["requests.at"]]
    raise BadRequest unless at.is_a?(String)

    "text=#{written(text, [at])[0]}\n"
  end

  def list(request)
    text, at = sample(request), request[Settings["requests.at"]]
    raise BadRequest unless at.is_a?(Array) && at.all?(String)
    raise BadRequest if Settings.told?("requests.limits") && at.length > 100

    lines = written(text, at).map { |one| "text=#{one}\n" }
    (Settings.told?("output.lines") ? "count=#{lines.length}\n" : "") + lines.join
  end

  def written(text, moments)
    if Settings.told?("errors.order")
      read = moments.map { |one| Moments.read(one) }
      read.empty? ? [] : read.map { |moment| Writing.write(pieces(text), moment) }
    else
      known = pieces(text)
      moments.map { |one| Writing.write(known, Moments.read(one)) }
    end
  end

  def fields(request)
    names = pieces(sample(request)).flat_map(&:options).map(&:first)
    names = Settings.told?("fields.names") ? names - [:half] : names.uniq
    none = Settings.told?("output.lines") ? "none" : ""
    "fields=#{names.empty? ? none : names.join(Settings.told?('output.lines') ? ' ' : ',')}\n"
  end
end
