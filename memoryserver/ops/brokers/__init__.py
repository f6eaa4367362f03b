"""The queue of jobs: one broker keeps it in Postgres, the other in Redis. Both hold one waiting job of each kind.

A worker holds a claimed job by a lease, which it renews while it works. The job of a worker that died is run again when
its lease has ended.
"""
