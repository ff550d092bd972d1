"""Names of months and weekdays, and zone words."""

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_ZONES = """
    ACDT ACST ACT ADT AEDT AEST AFT AKDT AKST AMST AMT ART AST AWDT AWST AZOST AZT BDT BIOT BIT BOT BRT BST BTTCAT
    CCT CDT CEDT CEST CET CHADT CHAST CHOT ChST CHUT CIST CIT CKT CLST CLT COST COT CST CT CVT CWST CXT DAVT DDUT
    DFT EASST EAST EAT ECT EDT EEDT EEST EET EGST EGT EIT EST FET FJT FKST FKT FNT GALT GAMT GET GFT GILT GIT GMT
    GST GYT HADT HAEC HAST HKT HMT HOVT HST ICT IDT IOT IRDT IRKT IRST IST JST KGT KOST KRAT KST LHST LINT MAGT MART
    MAWT MDT MET MEST MHT MIST MIT MMT MSK MST MUT MVT MYT NCT NDT NFT NPT NST NT NUT NZDT NZST OMST ORAT PDT PET
    PETT PGT PHOT PHT PKT PMDT PMST PONT PST RET ROTT SAKT SAMT SAST SBT SCT SGT SLT SRT SST SYOT TAHT THA TFT TJT
    TKT TLT TMT TOT TVT UCT ULAT UTC UYST UYT UZT VET VLAT VOLT VOST VUT WAKT WAST WAT WEDT WEST WET WST YAKT YEKT
"""
ZONES = frozenset(_ZONES.split())


def name_of(word: str) -> tuple[str, str] | None:
    """Field and form of a month's or weekday's name."""
    small = word.lower()
    for field, names in (("month", MONTHS), ("weekday", WEEKDAYS)):
        for name in names:
            if small == name.lower():
                return field, "name"
            if small == name[:3].lower():
                return field, "short"
    return None
