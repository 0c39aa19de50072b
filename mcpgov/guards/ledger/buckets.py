"""Token buckets as whole numbers. Pure.

A bucket is kept as the moment at which it is full again (GCRA), in microseconds times the rate's count, so that no
rate rounds. `at`: when that was written, by the same clock, which only goes forward and begins anew when the machine
starts; `wall`: the day's clock then, by which a bucket of before the start is refilled.
"""

from __future__ import annotations


class Rate:
    """`count` calls in `period` microseconds; `burst`: so many at once."""

    __slots__ = ("burst", "count", "period")

    def __init__(self, count: int, period: int, burst: int) -> None:
        self.count = count
        self.period = period
        self.burst = burst


class Bucket:
    __slots__ = ("at", "full", "wall")

    def __init__(self, full: int, at: int, wall: int) -> None:
        self.full = full
        self.at = at
        self.wall = wall


def taken(rate: Rate, bucket: Bucket | None, now: int, wall: int) -> tuple[Bucket | None, int]:
    """The bucket after one more call, or None and the microseconds to wait. `now`, `wall`: microseconds."""
    scaled = now * rate.count
    full = scaled if bucket is None else max(scaled, _full_at(rate, bucket, now, wall))
    after = full + rate.period
    room = scaled + rate.burst * rate.period
    if after > room:
        return None, -(-(after - room) // rate.count)
    return Bucket(after, now, wall), 0


def left(rate: Rate, bucket: Bucket | None, now: int, wall: int) -> int:
    """How many calls would pass at once."""
    scaled = now * rate.count
    full = scaled if bucket is None else max(scaled, _full_at(rate, bucket, now, wall))
    return (scaled + rate.burst * rate.period - full) // rate.period


def returned(rate: Rate, bucket: Bucket, now: int, wall: int) -> Bucket:
    """The bucket after a call that was taken and did not happen."""
    return Bucket(_full_at(rate, bucket, now, wall) - rate.period, now, wall)


def _full_at(rate: Rate, bucket: Bucket, now: int, wall: int) -> int:
    if bucket.at <= now:
        return min(bucket.full, now * rate.count + rate.burst * rate.period)  # no bucket is emptier than empty
    # The clock began anew: by the day's clock, which may have been set back, at least nothing is given away.
    owed = max(0, bucket.full - bucket.at * rate.count - max(0, wall - bucket.wall) * rate.count)
    return now * rate.count + min(owed, rate.burst * rate.period)
