"""The scripts as texts; what they do is shown on real engines by test_contract."""

from mcpgov.lender import redis_script


def test_both_scripts_touch_their_one_key_only():
    for script in (redis_script.LEND, redis_script.CHANGE):
        assert "KEYS[2]" not in script
        assert script.count("local key = KEYS[1]") == 1
        assert script.count("(") == script.count(")")


def test_numbers_stay_where_lua_is_exact():
    assert float(redis_script.LARGEST) == redis_script.LARGEST
    assert float(redis_script.LARGEST + 2) != redis_script.LARGEST + 2
