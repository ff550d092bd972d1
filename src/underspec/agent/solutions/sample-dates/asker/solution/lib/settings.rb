# frozen_string_literal: true

require "json"

# What the request left open: told by an answer, or assumed.
module Settings
  VALUES = JSON.parse(File.read(File.join(__dir__, "..", "settings.json"), encoding: "UTF-8"))

  def self.told?(name)
    self[name] == "told"
  end

  def self.[](name)
    group, entry = name.split(".")
    VALUES.fetch(group).fetch(entry)
  end
end
