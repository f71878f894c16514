"""Show a verdict: as data (`record`), as text for a terminal (`text`), as a page (`page`)."""
