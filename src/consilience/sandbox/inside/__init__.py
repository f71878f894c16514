"""What runs behind the wall: stdlib only, loaded by path into a bare interpreter.

The files here are imported twice: as `consilience.sandbox.inside` by the judge (which reads
their constants) and as the top-level package `inside` by the fresh interpreter that becomes the
worker.
"""
