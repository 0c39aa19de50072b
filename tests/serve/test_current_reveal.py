import asyncio

from mcpgov.errors import McpgovError
from mcpgov.serve.current_reveal import CurrentReveal
from tests.helpers.serving import Serving


def test_it_is_read_again_once_its_file_has_changed(tmp_path):
    file, loads = tmp_path / "settings.toml", []

    def load():
        loads.append(1)
        text = file.read_text() if file.exists() else "matching"
        if text == "broken":
            raise McpgovError("no")
        return text

    reveal = CurrentReveal(file, load)
    assert (reveal(), reveal(), len(loads)) == ("matching", "matching", 1)
    for text, told in (("all", "all"), ("broken", "matching"), ("summary", "summary")):
        file.write_text(text)
        assert (reveal(), reveal()) == (told, told)
    file.unlink()
    assert (reveal(), len(loads)) == ("matching", 5)


def test_a_server_that_runs_tells_less_once_the_setting_does(tmp_path):
    serving = Serving(tmp_path)
    settings = serving.root / "config" / "settings.toml"
    settings.write_text('[serve]\nreveal = "all"\n')

    async def talk():
        async with serving.stdio() as client:
            told = []
            for text in (None, '[serve]\nreveal = "matching"\n'):
                if text:
                    settings.write_text(text)
                told.append(len((await client.call_tool("getPolicy", {})).structured_content["rules"]))
            return told

    assert asyncio.run(talk()) == [3, 0]
