"""Tables and figures of both papers for one's own runs, each under the name that its paper gives it."""
