"""From a client's request and conversation to a commission (SWE-Clar 2.4 and appendix A)."""

from underspec.construct.commission.drafts import DRAFTS
from underspec.construct.commission.extract import EXTRACT
from underspec.construct.commission.interface import INTERFACE_STAGE
from underspec.construct.commission.screen import SCREEN
from underspec.construct.commission.scrub import SCRUB
from underspec.construct.commission.signoff import SIGNOFF
from underspec.construct.commission.units import UNITS_STAGE

STAGES = (SCREEN, SCRUB, EXTRACT, UNITS_STAGE, INTERFACE_STAGE, DRAFTS, SIGNOFF)
