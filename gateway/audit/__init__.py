"""The audit: today's rules over stored replies, in shards that can be judged anywhere and in any order.

Stored replies (JSON lines or Parquet) are cut into shards; a shard is judged by a function of its file, its place and the
rules; what comes out is put together in order. So it does not matter who judged a shard, or when.
"""
