"""A group of commands that suggests the nearest name for one it does not know.

In: what was typed. Out: the command, or an error that names the nearest. Absent: the commands.
"""

from difflib import get_close_matches

import click


class NearestGroup(click.Group):
    """A group whose error about an unknown command says which one may be meant."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first argument names."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = get_close_matches(args[0], self.list_commands(ctx), n=1)
            if not near:
                raise
            raise click.UsageError(f"{error.message} Did you mean {near[0]!r}?", ctx) from None
