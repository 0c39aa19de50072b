"""How core reaches the guards: each is imported when the first rule asks for it."""

from __future__ import annotations

from mcpgov.core.calls import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpgov.core.rules import Finder


class LazyHooks:
    """core.rules.Hooks, with nothing imported until it is used."""

    __slots__ = ()

    def when(self, source: str) -> Callable[[Call, str], str]:
        from mcpgov.guards.cel import Request, prepare

        expression = prepare(source)

        def verdict(call: Call, service: str) -> str:
            request = Request(
                method=call.method,
                ident=call.ident,
                params=call.params,
                server=call.server,
                client=call.client,
                service=service,
                operation=call.operation,
                args=call.args or {},
            )
            return expression.evaluate(request)

        return verdict

    def pattern(self, source: str) -> Finder:
        from mcpgov.guards.patterns import compile_pattern

        return compile_pattern(source)
