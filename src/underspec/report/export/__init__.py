"""Export: runs as documents and tables for other programs, and as transcripts with rewards for people who train."""
