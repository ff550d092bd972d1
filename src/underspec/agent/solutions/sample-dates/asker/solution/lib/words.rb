# frozen_string_literal: true

require_relative "settings"

# The words of months, weekdays and zones.
module Words
  MONTHS = %w[January February March April May June July August September October November December].freeze
  WEEKDAYS = %w[Sunday Monday Tuesday Wednesday Thursday Friday Saturday].freeze
  TOURING = %w[
    ACDT ACST ACT ADT AEDT AEST AFT AKDT AKST AMST AMT ART AST AWDT AWST AZOST AZT BDT BIOT BIT BOT BRT BST BTTCAT CCT
    CDT CEDT CEST CET CHADT CHAST CHOT ChST CHUT CIST CIT CKT CLST CLT COST COT CST CT CVT CWST CXT DAVT DDUT DFT EASST
    EAST EAT ECT EDT EEDT EEST EET EGST EGT EIT EST FET FJT FKST FKT FNT GALT GAMT GET GFT GILT GIT GMT GST GYT HADT
    HAEC HAST HKT HMT HOVT HST ICT IDT IOT IRDT IRKT IRST IST JST KGT KOST KRAT KST LHST LINT MAGT MART MAWT MDT MET
    MEST MHT MIST MIT MMT MSK MST MUT MVT MYT NCT NDT NFT NPT NST NT NUT NZDT NZST OMST ORAT PDT PET PETT PGT PHOT PHT
    PKT PMDT PMST PONT PST RET ROTT SAKT SAMT SAST SBT SCT SGT SLT SRT SST SYOT TAHT THA TFT TJT TKT TLT TMT TOT TVT UCT
    ULAT UTC UYST UYT UZT VET VLAT VOLT VOST VUT WAKT WAST WAT WEDT WEST WET WST YAKT YEKT
  ].freeze
  USUAL = %w[UTC GMT CET CEST EST EDT PST PDT].freeze
  LONGER = { "sept" => :month, "tues" => :weekday, "thurs" => :weekday }.freeze

  module_function

  # [field, form] of a name, or nil.
  def name(word)
    small = word.downcase
    return [:month, :whole] if small == "may" && Settings.told?("names.may")

    { month: MONTHS, weekday: WEEKDAYS }.each do |field, names|
      return [field, :short] if names.any? { |name| name[0, 3].downcase == small }
      return [field, :whole] if names.any? { |name| name.downcase == small }
    end
    !Settings.told?("names.may") && LONGER[small] ? [LONGER[small], :short] : nil
  end

  def zone?(word)
    (Settings.told?("zones.words") ? TOURING : USUAL).include?(word)
  end
end
