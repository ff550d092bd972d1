# frozen_string_literal: true

require "json"
require "time"
require_relative "sample"

# Requests in, lines out.
module Requests
  class Failure < StandardError; end

  module_function

  def answer(data)
    request = JSON.parse(data.force_encoding("UTF-8"))
    raise Failure, "invalid_request" unless request.is_a?(Hash)

    case request["action"]
    when "write" then write(request)
    when "list" then list(request)
    when "fields" then "fields=#{sample(request).fields.join(', ')}\n"
    else raise Failure, "unknown_action"
    end
  rescue Failure => error
    "error=#{error.message}\n"
  rescue JSON::ParserError, ArgumentError
    "error=invalid_request\n"
  end

  def sample(request)
    raise Failure, "invalid_request" unless request["sample"].is_a?(String)

    Sample.new(request["sample"])
  end

  def moment(value)
    raise Failure, "invalid_moment" unless value.is_a?(String)

    DateTime.iso8601(value)
  rescue Date::Error
    raise Failure, "invalid_moment"
  end

  def write(request)
    "text=#{sample(request).write(moment(request['at'] || request['moment']))}\n"
  end

  def list(request)
    moments = request["moments"] || request["at"]
    raise Failure, "invalid_request" unless moments.is_a?(Array)

    known = sample(request)
    moments.map { |one| "text=#{known.write(moment(one))}\n" }.join
  end
end
