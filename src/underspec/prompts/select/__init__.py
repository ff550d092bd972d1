"""What a model is told that assesses a repository's tests (ICAE III-B)."""
