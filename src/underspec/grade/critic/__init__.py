"""The critic: a model reads two source trees and gives three scores (ICAE III-F, Appendix I). Nothing is run.

``reading`` finds the source files, ``inert`` makes their text harmless, ``relevance`` orders them, ``packing`` fits
them into a budget, ``prompt`` puts them into words, ``verdict`` reads the answer, and ``critic`` asks.
"""
