module labels

go 1.18
