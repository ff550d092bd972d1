"""What ``validate`` looks at beyond damage: each check takes the parts that could be read and yields findings."""
