from mcpgov.daemon.children.service_switch import ServiceSwitch


def test_a_service_is_used_once_however_often_it_is_wanted_and_released_once():
    told = []

    class Services:
        def use(self, name):
            told.append(f"use {name}")
            return lambda: told.append("release")

    switch = ServiceSwitch(Services(), "page")
    switch.turn(on=False)
    assert (told, switch.is_on) == ([], False)
    switch.turn(on=True)
    switch.turn(on=True)
    assert (told, switch.is_on) == (["use page"], True)
    switch.turn(on=False)
    switch.turn(on=False)
    assert (told, switch.is_on) == (["use page", "release"], False)
    switch.turn(on=True)
    assert told == ["use page", "release", "use page"]
