"""One self-contained page about a run: no script, no request to anywhere, everything in it escaped.

:func:`underspec.report.html.page.report_page` makes its bytes, :func:`underspec.report.html.write.write_page` its file.
"""
