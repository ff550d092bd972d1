"""Structure (ICAE III-F): how the generated tree is built, beside the golden one. Read by tree-sitter, never run."""
