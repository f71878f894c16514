"""FASE's experiment, whole: sample sets, reference pass@1, RQ1 to RQ4, tables and figures."""

EXPERIMENT = "consilience.bench.fase/1"
"""Schema of the record that `plan` builds, and that tables and figures are made of."""
