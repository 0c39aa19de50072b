"""What Redis and Valkey run: one script for a request, one for a change, both on one key. Pure: texts.

A row is a hash: `raised`, `change` (the last one's id), `level` and `at` of a bucket, and a field `h:<machine>` with
what it was lent, what it has spent, what of that was forgiven by a reset, when its lease ends, and the number of its
last request. Numbers are whole and below 2^53, so Lua's are exact.
INVARIANT: the tokens in a bucket and those that are lent and not spent are never more than the burst together, so all
machines together never pass more calls than one bucket would.
"""

from __future__ import annotations

LARGEST = 2**53 - 1

_ROW = """
local key = KEYS[1]
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local row, hosts = {}, {}
local fields = redis.call('HGETALL', key)
for i = 1, #fields, 2 do
  local name = string.match(fields[i], '^h:(.*)$')
  if name then
    local lent, spent, forgiven, lease, last = string.match(fields[i + 1], '(%S+) (%S+) (%S+) (%S+) (%S+)')
    hosts[name] = {
      lent = tonumber(lent), spent = tonumber(spent), forgiven = tonumber(forgiven), lease = tonumber(lease),
      last = tonumber(last)
    }
  else
    row[fields[i]] = fields[i + 1]
  end
end
local function keep(name, host)
  local text = string.format(
    '%.0f %.0f %.0f %.0f %.0f', host.lent, host.spent, host.forgiven, host.lease, host.last)
  redis.call('HSET', key, 'h:' .. name, text)
end
"""

LEND = (
    _ROW
    + """
local host = ARGV[1]
local n = {}
for i = 2, #ARGV do n[i] = tonumber(ARGV[i]) end
local lent, spent, give, least, want, grain = n[2], n[3], n[4], n[5], n[6], n[7]
local most, cap, count, span, lease, kept, number = n[8], n[9], n[10], n[11], n[12], n[13], n[14]
local mine = hosts[host] or {lent = 0, spent = 0, forgiven = 0, lease = now, last = 0}
hosts[host] = mine
if mine.lease < now then mine.lent = mine.spent end
local known = false
if number > mine.last then
  if mine.lent < lent then mine.lent = lent end
  mine.spent, mine.lease, mine.last = spent, now + lease, number
  known = mine.lent == lent
  if known then mine.lent = mine.lent - give end
  if mine.lent < spent then mine.lent = spent end
end

local total, used, out, live = 0, 0, 0, 0
for name, each in pairs(hosts) do
  if each.lease < now then
    each.lent = each.spent
    if count > 0 and name ~= host then redis.call('HDEL', key, 'h:' .. name) end
  else
    live = live + 1
  end
  total, used, out = total + each.lent - each.forgiven, used + each.spent - each.forgiven, out + each.lent - each.spent
end

local raised, granted, wait = tonumber(row.raised or '0'), 0, 0
local left, level = most + raised - total, 0
if count > 0 then
  local at = math.min(tonumber(row.at or now), now)
  level = math.min(tonumber(row.level or most * span) + (now - at) * count, (most - out) * span)
  left = math.floor(math.max(level, 0) / span)
end
if known and want > 0 then
  if left >= least then
    local upto = math.min(left, math.max(want, math.min(cap, math.floor(left / (2 * math.max(live, 1))))))
    granted = least + math.floor((upto - least) / grain) * grain
    mine.lent, total = mine.lent + granted, total + granted
  elseif count > 0 then
    wait = math.ceil((least * span - level) / count)
  end
end
keep(host, mine)
if count > 0 then
  redis.call('HSET', key, 'level', string.format('%.0f', level - granted * span), 'at', string.format('%.0f', now))
  redis.call('EXPIRE', key, kept)
elseif kept > 0 then
  redis.call('EXPIREAT', key, kept)
end
return {mine.lent, granted, raised, total, used, live, wait, now, mine.last}
"""
)

CHANGE = (
    _ROW
    + """
local id, raised, reset, kept = ARGV[1], tonumber(ARGV[2]), ARGV[3] == '1', tonumber(ARGV[4])
if row.change == id then return 0 end
if reset then
  for name, each in pairs(hosts) do
    each.forgiven = each.spent
    if each.lease < now then each.lent = each.spent end
    keep(name, each)
  end
  redis.call('HSET', key, 'raised', '0')
end
redis.call('HINCRBY', key, 'raised', string.format('%.0f', raised))
redis.call('HSET', key, 'change', id)
if kept > 0 then redis.call('EXPIREAT', key, kept) end
return 1
"""
)
