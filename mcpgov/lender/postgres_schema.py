"""What PostgreSQL keeps and runs: two tables, a function for a request for a tranche (`turn`), one for a person's
change, and the clock. Pure: texts.

The functions do what the scripts of `redis_script` do, under the lock of the row. The names of the first two have a
version: machines with different versions of mcpgov may share one database.
INVARIANT: the tokens in a bucket and those that are lent and not spent are never more than the burst together.
"""

from __future__ import annotations

THERE = "SELECT to_regprocedure('mcpgov_change_1(text,text,text,text,bigint,boolean,bigint)') IS NOT NULL"
# Machines that come at the same time set up one after the other.
SETUP = (
    "SELECT pg_advisory_xact_lock(7236583942)",
    """
CREATE TABLE IF NOT EXISTS mcpgov_rows (
  namespace text, key text, period text, raised bigint NOT NULL DEFAULT 0, change text NOT NULL DEFAULT '',
  level numeric, at bigint, kept timestamptz, PRIMARY KEY (namespace, key, period)
)""",
    """
CREATE TABLE IF NOT EXISTS mcpgov_lent (
  namespace text, key text, period text, host text, lent bigint NOT NULL DEFAULT 0, spent bigint NOT NULL DEFAULT 0,
  forgiven bigint NOT NULL DEFAULT 0, lease bigint NOT NULL, last bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (namespace, key, period, host)
)""",
    """
CREATE OR REPLACE FUNCTION mcpgov_now() RETURNS bigint LANGUAGE sql VOLATILE AS
$$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint $$""",
    """
CREATE OR REPLACE FUNCTION mcpgov_turn_1(
  a_namespace text, a_key text, a_period text, a_host text, a_lent bigint, a_spent bigint, a_give bigint,
  a_least bigint, a_want bigint, a_grain bigint, a_most bigint, a_cap bigint, a_count bigint, a_span bigint,
  a_lease bigint, a_kept bigint, a_number bigint,
  OUT r_lent bigint, OUT r_granted bigint, OUT r_raised bigint, OUT r_total bigint, OUT r_spent bigint,
  OUT r_hosts bigint, OUT r_wait bigint, OUT r_now bigint, OUT r_number bigint
) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  the_row mcpgov_rows%ROWTYPE; mine mcpgov_lent%ROWTYPE; known boolean; o bigint; rest bigint; upto bigint; l numeric;
BEGIN
  INSERT INTO mcpgov_rows (namespace, key, period) VALUES (a_namespace, a_key, a_period) ON CONFLICT DO NOTHING;
  SELECT * INTO the_row FROM mcpgov_rows
    WHERE namespace = a_namespace AND key = a_key AND period = a_period FOR UPDATE;
  r_now := mcpgov_now(); r_granted := 0; r_wait := 0; r_raised := the_row.raised;
  INSERT INTO mcpgov_lent (namespace, key, period, host, lease)
    VALUES (a_namespace, a_key, a_period, a_host, r_now) ON CONFLICT DO NOTHING;
  SELECT * INTO mine FROM mcpgov_lent
    WHERE namespace = a_namespace AND key = a_key AND period = a_period AND host = a_host;
  IF mine.lease < r_now THEN mine.lent := mine.spent; END IF;
  r_lent := mine.lent; r_number := mine.last; known := false;
  IF a_number > mine.last THEN
    r_lent := greatest(mine.lent, a_lent); r_number := a_number;
    known := r_lent = a_lent;
    IF known THEN r_lent := r_lent - a_give; END IF;
    r_lent := greatest(r_lent, a_spent);
    UPDATE mcpgov_lent SET lent = r_lent, spent = a_spent, lease = r_now + a_lease, last = a_number
      WHERE namespace = a_namespace AND key = a_key AND period = a_period AND host = a_host;
  END IF;
  SELECT sum(CASE WHEN lease < r_now THEN spent ELSE lent END - forgiven), sum(spent - forgiven),
      sum(CASE WHEN lease < r_now THEN 0 ELSE lent - spent END), count(*) FILTER (WHERE lease >= r_now)
    INTO r_total, r_spent, o, r_hosts FROM mcpgov_lent
    WHERE namespace = a_namespace AND key = a_key AND period = a_period;
  rest := a_most + the_row.raised - r_total;
  IF a_count > 0 THEN
    l := least(coalesce(the_row.level, a_most::numeric * a_span)
               + (r_now - least(coalesce(the_row.at, r_now), r_now))::numeric * a_count,
               (a_most - o)::numeric * a_span);
    rest := floor(greatest(l, 0) / a_span);
  END IF;
  IF known AND a_want > 0 THEN
    IF rest >= a_least THEN
      upto := least(rest, greatest(a_want, least(a_cap, rest / (2 * greatest(r_hosts, 1)))));
      r_granted := a_least + (upto - a_least) / a_grain * a_grain;
      r_lent := r_lent + r_granted; r_total := r_total + r_granted;
      UPDATE mcpgov_lent SET lent = r_lent
        WHERE namespace = a_namespace AND key = a_key AND period = a_period AND host = a_host;
    ELSIF a_count > 0 THEN
      r_wait := ceil((a_least::numeric * a_span - l) / a_count);
    END IF;
  END IF;
  UPDATE mcpgov_rows SET level = CASE WHEN a_count > 0 THEN l - r_granted::numeric * a_span END,
      at = CASE WHEN a_count > 0 THEN r_now END,
      kept = CASE WHEN a_count > 0 THEN clock_timestamp() + make_interval(secs => a_kept)
                  WHEN a_kept > 0 THEN to_timestamp(a_kept) END
    WHERE namespace = a_namespace AND key = a_key AND period = a_period;
END $$""",
    """
CREATE OR REPLACE FUNCTION mcpgov_change_1(
  a_namespace text, a_key text, a_period text, a_id text, a_raised bigint, a_reset boolean, a_kept bigint
) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE the_row mcpgov_rows%ROWTYPE;
BEGIN
  INSERT INTO mcpgov_rows (namespace, key, period) VALUES (a_namespace, a_key, a_period) ON CONFLICT DO NOTHING;
  SELECT * INTO the_row FROM mcpgov_rows
    WHERE namespace = a_namespace AND key = a_key AND period = a_period FOR UPDATE;
  IF the_row.change = a_id THEN RETURN false; END IF;
  IF a_reset THEN
    UPDATE mcpgov_lent SET forgiven = spent, lent = CASE WHEN lease < mcpgov_now() THEN spent ELSE lent END
      WHERE namespace = a_namespace AND key = a_key AND period = a_period;
  END IF;
  UPDATE mcpgov_rows SET raised = CASE WHEN a_reset THEN 0 ELSE raised END + a_raised, change = a_id,
      kept = CASE WHEN a_kept > 0 THEN to_timestamp(a_kept) END
    WHERE namespace = a_namespace AND key = a_key AND period = a_period;
  RETURN true;
END $$""",
)
# Rows of periods that are long over.
TIDY = """
WITH old AS (DELETE FROM mcpgov_rows WHERE kept < clock_timestamp() RETURNING namespace, key, period)
DELETE FROM mcpgov_lent USING old
WHERE mcpgov_lent.namespace = old.namespace AND mcpgov_lent.key = old.key AND mcpgov_lent.period = old.period"""
NOW = "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
LEND = f"SELECT * FROM mcpgov_turn_1({', '.join(f'${number}' for number in range(1, 18))})"
CHANGE = "SELECT mcpgov_change_1($1, $2, $3, $4, $5, $6, $7)"
