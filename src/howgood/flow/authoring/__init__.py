"""Studies as researchers write them: begun, edited, previewed, published."""

from howgood.flow.authoring.draft import (
    Editing,
    Saved,
    Upload,
    discard,
    discarded,
    draft_picture,
    editing,
    restore,
    save,
    typed,
    unsaved,
    written,
)
from howgood.flow.authoring.preview import Preview, glance, preview, step
from howgood.flow.authoring.publishing import (
    Review,
    history,
    publish,
    republish,
    review,
    set_open,
    set_places,
)
from howgood.flow.authoring.shape import Node, Part, parts_of
from howgood.flow.authoring.starting import (
    Started,
    start_from_file,
    start_from_template,
    templates,
)

__all__ = [
    "Editing",
    "Node",
    "Part",
    "Preview",
    "Review",
    "Saved",
    "Started",
    "Upload",
    "discard",
    "discarded",
    "draft_picture",
    "editing",
    "glance",
    "history",
    "parts_of",
    "preview",
    "publish",
    "republish",
    "restore",
    "review",
    "save",
    "set_open",
    "set_places",
    "start_from_file",
    "start_from_template",
    "step",
    "templates",
    "typed",
    "unsaved",
    "written",
]
