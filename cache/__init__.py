"""From documents to a map of papers: everything that is computed once and kept."""
