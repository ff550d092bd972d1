"""What a deliverable is worth: cases, outcomes and their comparison."""
