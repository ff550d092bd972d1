// canary underspec-canary-ab25ca2f-dfdf-43af-97e2-5e2439fb5a23
module dispatcher

go 1.18

require github.com/huandu/xstrings v0.0.0

replace github.com/huandu/xstrings => ./vendor/golden
