"""What a page shows, those parts too that are pinned in their place."""

from howgood.records.screen import Pinned


def blocks_of(screen):
    for block in screen.blocks:
        yield from block.blocks if isinstance(block, Pinned) else (block,)
