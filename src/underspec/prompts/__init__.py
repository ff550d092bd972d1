"""What roles are told: prompt files, one folder a role, versioned by hash. No logic beyond reading them."""
