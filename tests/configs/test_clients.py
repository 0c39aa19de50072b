import pytest

from mcpgov.configs.clients import CLIENTS, LINUX, MACOS, config_files


def test_every_client_has_a_name_of_its_own_and_places_on_both_systems():
    names = [client.name for client in CLIENTS]
    assert len(names) == len(set(names))
    for client in CLIENTS:
        assert client.title
        assert set(client.files) == {LINUX, MACOS}
        assert all(client.files.values())


@pytest.mark.parametrize("system", [LINUX, MACOS])
def test_no_two_clients_share_a_file_and_all_lie_below_the_home(system):
    files = config_files("/home/u", system)
    assert len(files) == len(set(files))
    assert all(file.startswith("/home/u/") and ".." not in file for file in files)


def test_places_differ_by_system():
    assert "/h/.config/Claude/claude_desktop_config.json" in config_files("/h", "linux")
    assert "/h/Library/Application Support/Claude/claude_desktop_config.json" in config_files("/h", "darwin")
    assert "/h/.claude.json" in config_files("/h", "linux")


def test_an_unknown_system_is_taken_for_linux():
    assert config_files("/h", "freebsd14") == config_files("/h", "linux")
