"""Human validation of what models say: samples, sheets, and how far people agree (ICAE Table XVI; SWE-Clar B.3)."""
