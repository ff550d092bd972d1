"""The report as a site: one static folder that opens from disk, with a page for every run, condition, task and item.

:func:`underspec.report.site.write.write_site` writes it, for the operator or for everybody.
"""
