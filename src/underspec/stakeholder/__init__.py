"""Who answers: records, routers, sessions and the HTTP channel."""
