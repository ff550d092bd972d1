"""From a repository or a commission to a task."""
