"""FASE's experiment, whole: sample sets, reference pass@1, RQ1 to RQ4, tables and figures."""
