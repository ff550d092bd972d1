"""What a sandbox may reach beyond itself, through one proxy that is kept outside: policy, proxy, log."""
